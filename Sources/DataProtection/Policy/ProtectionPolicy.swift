/// Which class each kind of file has, decided once and written down beside the files.
///
/// It lies in the volume as `protection-policy.json`, of class `none`, so that whoever writes
/// before the first unlock can read it. Every door of the volume keeps to it.
///
///     let policy = try volume.policy
///     try volume.write(
///         bytes, to: "Captures/1.jpg", class: policy?.kind("capture")?.protectionClass)
public struct ProtectionPolicy: Sendable, Hashable {
    /// What becomes of a request for a class that is weaker than the kind's.
    public enum WeakerRequests: String, Sendable, Hashable, CaseIterable, Codable {
        /// It fails, and says which kind it is.
        case refuse
        /// The file gets the kind's class.
        case raise
    }

    /// What becomes of weaker requests.
    public var weakerRequests: WeakerRequests
    /// The kinds, in the order in which they are asked.
    public var kinds: [PolicyKind]
    /// What may be weaker all the same.
    public var waivers: [PolicyWaiver]

    /// Describes a policy.
    public init(
        weakerRequests: WeakerRequests = .refuse, kinds: [PolicyKind], waivers: [PolicyWaiver] = []
    ) {
        self.weakerRequests = weakerRequests
        self.kinds = kinds
        self.waivers = waivers
    }

    /// The kind of that name; `nil` for none.
    public func kind(_ name: String) -> PolicyKind? { kinds.first { $0.name == name } }

    /// The kind of a file; `nil` for one that is of none.
    ///
    /// - Parameter path: the file's path in the volume.
    public func kind(at path: String) -> PolicyKind? { kinds.first { $0.matches(path) } }

    /// The weakest class that a file may have; `nil` when it is of no kind.
    ///
    /// - Parameter path: the file's path in the volume.
    public func weakestClass(at path: String) -> ProtectionClass? {
        weakestClass(at: path.utf8.split(separator: UInt8(ascii: "/")).map(Array.init))
    }

    func weakestClass(at names: [[UInt8]]) -> ProtectionClass? {
        guard let kind = kinds.first(where: { $0.matches(names) }) else { return nil }
        let waived = waivers.filter { $0.pattern.matches(names) }.map(\.protectionClass)
        return waived.reduce(kind.weakest) { $1.isStricter(than: $0) ? $0 : $1 }
    }

    /// What a request comes to.
    enum Judgement: Equatable {
        /// The policy has nothing to say, or agrees.
        case asAsked
        /// Nothing was asked: the kind has this class.
        case kind(ProtectionClass)
        /// What was asked is too weak: it gets this class.
        case raised(ProtectionClass)
    }

    /// Judges a request for a class.
    ///
    /// - Parameters:
    ///   - explicit: the class that was asked for; `nil` for none.
    ///   - names: the file's path.
    ///   - canCreate: whether a class can be made now.
    func judge(
        _ explicit: ProtectionClass?, at names: [[UInt8]], canCreate: (ProtectionClass) -> Bool
    ) throws(ProtectionError) -> Judgement {
        guard let kind = kinds.first(where: { $0.matches(names) }) else { return .asAsked }
        guard let explicit else {
            if let other = kind.classWhileLocked, !canCreate(kind.protectionClass) {
                return .kind(other)
            }
            return .kind(kind.protectionClass)
        }
        let weakest = weakestClass(at: names) ?? kind.weakest
        guard weakest.isStricter(than: explicit) else { return .asAsked }
        guard weakerRequests == .raise else {
            throw .weakerThanPolicy(explicit, kind.name, weakest)
        }
        return .raised(weakest)
    }
}
