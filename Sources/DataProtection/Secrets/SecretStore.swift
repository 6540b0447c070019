internal import Cryptography
public import FoundationEssentials
internal import Synchronization

/// Passwords, tokens and keys of a volume: small values, asked for by a key, each sealed on its
/// own.
///
/// What the keychain is to an iOS app. A value that is *locked* is never told as missing, and never
/// as damaged:
///
///     let secrets = volume.secrets
///     try secrets.add(
///         Data("hunter2".utf8), forKey: "userPassword", accessibility: .whenUnlocked)
///     if let password = try secrets.read("userPassword") { … }     // nil: there is none
///     // after volume.lock(), the same read throws .sealed
///
/// There is one store for a volume, in the folder `Library/Secrets`. The keys are names of files:
/// who holds the folder and the device key can list them, unless the volume's names are private.
public struct SecretStore: Sendable {
    let volume: ProtectedVolume

    /// The longest value, in bytes. Larger ones belong into a file of class `complete`.
    public static let valueByteLimit = 4096

    /// The longest key, in bytes of UTF-8.
    public static let keyByteLimit = SecretRecord.keyByteCountMaximum

    static let folder = StandardPlace.library + "/Secrets"

    // MARK: - Reading

    /// Reads a secret.
    ///
    /// - Parameter key: what it was kept under.
    /// - Returns: `nil` when there is none of that key, which holds in every lock state.
    /// - Throws: `sealed` while it cannot be read; `deviceKey` for one of another device; `damaged`
    ///   for bytes that are not what was written; `newerFormat`.
    public func read(_ key: String) throws(ProtectionError) -> Data? {
        guard var record = try record(key) else { return nil }
        defer { Wipe.zero(&record.value) }
        guard record.flags.contains(.thisDeviceOnly) else { return Data(record.value) }
        var value = try DeviceSeal(volume).open(record.value, of: record.key)
        defer { Wipe.zero(&value) }
        return Data(value)
    }

    /// Reads a secret as soon as it can be read, and waits for the unlock if need be.
    ///
    /// - Parameter key: what it was kept under.
    /// - Returns: `nil` when there is none of that key.
    /// - Throws: `CancellationError`; `closed` when the volume is closed while this waits; as
    ///   `read(_:)` but for `sealed`.
    public func readWhenAvailable(_ key: String) async throws -> Data? {
        for await _ in volume.protectedDataChanges {
            do {
                return try read(key)
            } catch {
                guard error.code == .sealed else { throw error }
            }
        }
        try Task.checkCancellation()
        throw ProtectionError.closed
    }

    /// What can be told of every secret, in every lock state, sorted by their keys.
    ///
    /// - Throws: `sealed` before the first unlock of a volume with private names.
    public func list() throws(ProtectionError) -> [Secret] {
        let entries: [FolderEntry]
        do throws(ProtectionError) {
            entries = try volume.list(Self.folder)
        } catch {
            guard error.code == .missing else { throw error }
            return []
        }
        var secrets: [Secret] = []
        for entry in entries where entry.kind == .file {
            guard let key = SecretRecord.key(ofFileName: entry.name) else { continue }
            if let secret = try secret(key) { secrets.append(secret) }
        }
        return secrets.sorted { $0.key < $1.key }
    }

    /// What can be told of one secret in every lock state; `nil` when there is none.
    ///
    /// - Throws: as `list()`.
    public func secret(_ key: String) throws(ProtectionError) -> Secret? {
        let path = try path(of: key)
        do throws(ProtectionError) {
            let found = try volume.attributes(of: path)
            let flags = try flags(of: path)
            return Secret(
                key: key,
                accessibility: found.protectionClass.flatMap { protectionClass in
                    flags.flatMap { SecretAccessibility(protectionClass, $0) }
                },
                isThisDeviceOnly: flags?.contains(.thisDeviceOnly) ?? false,
                isSealed: found.isSealed, changedAt: found.modificationTime.seconds)
        } catch {
            guard error.code == .missing else { throw error }
            return nil
        }
    }

    /// The flags that a secret's file tells while it is sealed; `nil` when they are damaged.
    func flags(of path: String) throws(ProtectionError) -> SecretRecord.Flags? {
        do throws(ProtectionError) {
            return SecretRecord.flags(
                inAttribute: try volume.userAttribute(SecretRecord.attributeName, of: path))
        } catch {
            guard error.code == .damaged else { throw error }
            return nil
        }
    }

    func record(_ key: String) throws(ProtectionError) -> SecretRecord? {
        let path = try path(of: key)
        var bytes: [UInt8]
        do throws(ProtectionError) {
            bytes = try volume.read(path)
        } catch {
            guard error.code == .missing else { throw error.moved(to: key) }
            return nil
        }
        defer { Wipe.zero(&bytes) }
        let record: SecretRecord
        do throws(FormatError) {
            record = try SecretRecord.read(bytes)
        } catch {
            throw ProtectionError.unusableSecret(error).at(key)
        }
        guard record.key == Array(key.utf8) else { throw .anothersSecret.at(key) }
        return record
    }

    func path(of key: String) throws(ProtectionError) -> String {
        let bytes = Array(key.utf8)
        guard (1...Self.keyByteLimit).contains(bytes.count) else {
            throw .secretKey(bytes.count, limit: Self.keyByteLimit)
        }
        return Self.folder + "/" + SecretRecord.fileName(of: bytes)
    }
}

extension ProtectedVolume {
    /// The volume's small secrets.
    public var secrets: SecretStore { SecretStore(volume: self) }
}
