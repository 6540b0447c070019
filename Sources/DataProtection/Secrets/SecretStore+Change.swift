internal import Cryptography
public import FoundationEssentials
internal import Synchronization

// One change at a time, so that what was looked at still holds when the new value is put in place.

extension SecretStore {
    /// Keeps a new secret. It is there as a whole, and durable, when this returns.
    ///
    /// - Parameters:
    ///   - value: up to `valueByteLimit` bytes.
    ///   - key: what it is asked for by, 1 to `keyByteLimit` bytes.
    ///   - accessibility: when it can be read. There is no default: what runs in the background
    ///     is the commonest thing that one gets wrong.
    ///   - thisDeviceOnly: whether only this device can read it, also with the recovery key. It is
    ///     lost with the device key. `whenPasscodeSet` always is.
    /// - Throws: `exists` when there is one of that key, also one that is sealed; `sealed` when its
    ///   class cannot be made in this lock state; `invalidArgument` for a key or value that is too
    ///   long, and for `whenPasscodeSet` on a volume without a passcode; `deviceKey` for
    ///   `thisDeviceOnly` on a volume that was opened with its recovery key; `noSpace`.
    public func add(
        _ value: Data, forKey key: String, accessibility: SecretAccessibility,
        thisDeviceOnly: Bool = false
    ) throws(ProtectionError) {
        try changing { () throws(ProtectionError) in
            try makeFolder()
            try write(
                value, key, Keeping(accessibility, thisDeviceOnly), rule: .exclusive)
        }
    }

    /// Gives a secret another value. It is the old one or the new one, whatever happens: never
    /// gone, as after deleting and adding.
    ///
    /// - Parameters:
    ///   - value: up to `valueByteLimit` bytes.
    ///   - key: what it was kept under. When it can be read, and where, stays as it is.
    /// - Throws: `missing` when there is none of that key; `damaged` when it cannot be told how it
    ///   was kept (then `set`); else as `add`. The old value is then untouched.
    public func update(_ value: Data, forKey key: String) throws(ProtectionError) {
        try changing { () throws(ProtectionError) in
            guard let present = try secret(key) else { throw ProtectionError.noSecret.at(key) }
            try write(value, key, try keeping(present))
        }
    }

    /// Keeps a secret, whether there is one of that key or not, from now on as it is said here.
    ///
    /// - Parameters:
    ///   - value: up to `valueByteLimit` bytes.
    ///   - key: what it is asked for by.
    ///   - accessibility: when it can be read.
    ///   - thisDeviceOnly: whether only this device can read it.
    /// - Throws: as `add`, but for `exists`. The old value is then untouched.
    public func set(
        _ value: Data, forKey key: String, accessibility: SecretAccessibility,
        thisDeviceOnly: Bool = false
    ) throws(ProtectionError) {
        try changing { () throws(ProtectionError) in
            if try secret(key) == nil { try makeFolder() }
            try write(value, key, Keeping(accessibility, thisDeviceOnly))
        }
    }

    /// Deletes a secret. Works in every lock state, also for one that is damaged.
    ///
    /// - Parameter key: what it was kept under.
    /// - Returns: whether there was one.
    /// - Throws: `invalidArgument`, `host`; `sealed` before the first unlock of a volume with
    ///   private names.
    @discardableResult
    public func delete(_ key: String) throws(ProtectionError) -> Bool {
        try changing { () throws(ProtectionError) in
            do throws(ProtectionError) {
                try volume.removeFile(try path(of: key))
            } catch {
                guard error.code == .missing else { throw error }
                return false
            }
            try volume.synchronizeFolder(Self.folder)
            return true
        }
    }

    /// Deletes, durably, what is not to outlive the passcode. Whoever calls it holds the lock of
    /// changes, and has unlocked: what the attribute cannot tell, the file does.
    func deleteWhatNeedsPasscode() throws(ProtectionError) {
        var didDelete = false
        for secret in try list() {
            let path = try path(of: secret.key)
            let flags = try flags(of: path) ?? (try? record(secret.key))??.flags ?? []
            guard flags.contains(.needsPasscode) else { continue }
            try volume.removeFile(path)
            didDelete = true
        }
        if didDelete { try volume.synchronizeFolder(Self.folder) }
    }

    func changing<Result>(
        _ body: () throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result {
        try volume.core.secretChanges.withLock { _ throws(ProtectionError) in try body() }
    }

    /// How a secret is kept, as far as its key is not concerned.
    private struct Keeping {
        let accessibility: SecretAccessibility
        let flags: SecretRecord.Flags

        init(_ accessibility: SecretAccessibility, _ thisDeviceOnly: Bool) {
            self.accessibility = accessibility
            var flags: SecretRecord.Flags = thisDeviceOnly ? .thisDeviceOnly : []
            if accessibility == .whenPasscodeSet { flags = .all }
            self.flags = flags
        }
    }

    private func keeping(_ present: Secret) throws(ProtectionError) -> Keeping {
        guard let accessibility = present.accessibility else {
            throw ProtectionError.damagedAccessibility.at(present.key)
        }
        return Keeping(accessibility, present.isThisDeviceOnly)
    }

    private func write(
        _ value: Data, _ key: String, _ keeping: Keeping, rule: RenameRule = .replace
    ) throws(ProtectionError) {
        let path = try path(of: key)
        guard value.count <= Self.valueByteLimit else {
            throw ProtectionError.secretTooLong(value.count, limit: Self.valueByteLimit).at(key)
        }
        guard keeping.accessibility != .whenPasscodeSet || volume.hasPasscode else {
            throw ProtectionError.secretNeedsPasscode.at(key)
        }
        var record = SecretRecord(
            key: Array(key.utf8), flags: keeping.flags, value: Array(value))
        defer { Wipe.zero(&record.value) }
        if keeping.flags.contains(.thisDeviceOnly) {
            let sealed = try DeviceSeal(volume).seal(record.value, of: record.key)
            Wipe.zero(&record.value)
            record.value = sealed
        }
        var bytes = record.bytes
        defer { Wipe.zero(&bytes) }
        let failure: ProtectionError?
        do throws(ProtectionError) {
            failure = try volume.replacing(
                path, class: keeping.accessibility.protectionClass, mode: 0o600, rule: rule
            ) { file throws(ProtectionError) in
                try file.setUserAttribute(
                    SecretRecord.attributeName, to: SecretRecord.attributeValue(keeping.flags))
                try file.write(bytes, at: 0)
            }
        } catch {
            throw error.code == .exists
                ? ProtectionError.secretExists.at(key) : error.moved(to: key)
        }
        if let failure { throw failure.moved(to: key) }
    }

    private func makeFolder() throws(ProtectionError) {
        for path in [StandardPlace.library, Self.folder] {
            do throws(ProtectionError) {
                try volume.makeFolder(path)
            } catch {
                guard error.code == .exists else { throw error }
                continue
            }
            try volume.synchronizeFolder(path == Self.folder ? StandardPlace.library : "")
        }
    }
}
