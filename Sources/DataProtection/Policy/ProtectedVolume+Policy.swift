internal import Cryptography
internal import Synchronization

extension ProtectionPolicy {
    /// Where it lies in a volume.
    public static let path = "protection-policy.json"
    /// The longest that is read, in bytes.
    static let byteCountMaximum = 1 << 20
}

extension ProtectedVolume {
    /// The volume's policy; `nil` when it has none.
    ///
    /// - Throws: `damaged` or `newerFormat` for one that cannot be used; `sealed` before the first
    ///   unlock of a volume with private names, or when somebody gave the file another class.
    public var policy: ProtectionPolicy? {
        get throws(ProtectionError) {
            do throws(ProtectionError) {
                let file = try openFile(ProtectionPolicy.path)
                defer { file.close() }
                return try ProtectionPolicy(file)
            } catch {
                guard error.code == .missing else { throw error.at(ProtectionPolicy.path) }
                return nil
            }
        }
    }

    /// Gives the volume a policy. Every door keeps to it from now on; files that are there keep
    /// their classes, and `seal audit` names those that are weaker.
    ///
    /// - Parameter policy: the next one; `nil` for none any more.
    /// - Throws: `noSpace`, `host`; the former one then still holds.
    public func setPolicy(_ policy: ProtectionPolicy?) throws(ProtectionError) {
        if let policy {
            return try write(
                policy.json, to: ProtectionPolicy.path, class: ProtectionClass.none, mode: 0o644)
        }
        do throws(ProtectionError) {
            try removeFile(ProtectionPolicy.path)
        } catch {
            guard error.code == .missing else { throw error }
        }
    }
}
