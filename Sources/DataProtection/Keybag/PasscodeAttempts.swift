package import Cryptography
private import Synchronization

/// What is remembered of wrong passcodes for one volume.
package struct PasscodeAttempts: Hashable, Sendable {
    /// Wrong passcodes in a row; the same one again does not count.
    package var failureCount: UInt32 = 0
    /// When the last one was tried, in seconds since 1970.
    package var lastFailure: Int64 = 0
    /// Marks the last wrong passcode; zeros when there is none.
    ///
    /// It is derived from the stretched passcode, so testing a guess against it costs what testing
    /// it against the keybag does.
    package var lastMark = [UInt8](repeating: 0, count: 32)

    /// No wrong passcodes.
    package init() {}

    private static let magic = Array("SDPATTM1".utf8)

    /// The record as stored, authenticated under the device key: 84 bytes.
    package func bytes(
        volumeIdentifier: [UInt8], deviceKey: borrowing SecretKey
    ) throws(CryptographyError) -> [UInt8] {
        var bytes = Self.magic
        bytes.append(littleEndian: failureCount)
        bytes.append(littleEndian: lastFailure)
        bytes.append(contentsOf: lastMark)
        let key = try Self.codeKey(volumeIdentifier, deviceKey)
        return bytes + (try HMACSHA256.authenticate(bytes.span, key: key))
    }

    /// Reads a record.
    ///
    /// - Returns: `nil` when it is not one of this device and volume.
    package static func read(
        _ bytes: [UInt8], volumeIdentifier: [UInt8], deviceKey: borrowing SecretKey
    ) throws(CryptographyError) -> PasscodeAttempts? {
        guard bytes.count == 84, bytes.field(0..<8) == magic,
            try HMACSHA256.verify(
                bytes.field(52..<84).span, of: bytes.field(0..<52).span,
                key: codeKey(volumeIdentifier, deviceKey))
        else { return nil }
        var attempts = PasscodeAttempts()
        attempts.failureCount = bytes.integer(at: 8)
        attempts.lastFailure = bytes.integer(at: 12)
        attempts.lastMark = bytes.field(20..<52)
        return attempts
    }

    private static func codeKey(
        _ volumeIdentifier: [UInt8], _ deviceKey: borrowing SecretKey
    ) throws(CryptographyError) -> SecretKey {
        try HKDF.deriveKey(
            from: deviceKey, salt: volumeIdentifier, info: FormatLabel.bytes("passcode attempts"))
    }
}

/// Apple's delays after wrong passcodes (Platform Security guide, table of October 2024).
package enum PasscodeDelays {
    /// After so many wrong passcodes in a row there is no further try.
    package static let failureCountMaximum: UInt32 = 10

    /// How long to wait after `failureCount` wrong passcodes, in seconds; `nil` when disabled.
    package static func seconds(after failureCount: UInt32) -> Int64? {
        switch failureCount {
        case ...3: 0
        case 4: 60
        case 5: 5 * 60
        case 6: 15 * 60
        case 7: 3600
        case 8: 3 * 3600
        case 9: 8 * 3600
        default: nil
        }
    }

    /// How long is left, in seconds, 0 when a try is free; `nil` when disabled.
    ///
    /// A clock that was set back starts the delay again.
    package static func secondsLeft(_ attempts: PasscodeAttempts, now: Int64) -> Int64? {
        guard let delay = seconds(after: attempts.failureCount) else { return nil }
        let passed = now - attempts.lastFailure
        return passed < 0 ? delay : max(0, delay - passed)
    }
}

/// Where wrong passcodes are counted: beside the device key, or in memory.
package protocol PasscodeAttemptStore: Sendable {
    /// What was saved for a volume; `nil` when nothing was.
    func load(volumeIdentifier: [UInt8]) throws(HostError) -> [UInt8]?
    /// Saves durably, before the try that it counts is made.
    func save(_ bytes: [UInt8], volumeIdentifier: [UInt8]) throws(HostError)
    /// Keeps every other process of this device from trying meanwhile.
    func exclusively(
        _ body: () throws(ProtectionError) -> sending SecretKey
    ) throws(ProtectionError) -> sending SecretKey
}

/// Counts in memory, for a device that is not a file.
package final class MemoryAttemptStore: PasscodeAttemptStore {
    private let records = Mutex<[[UInt8]: [UInt8]]>([:])

    /// Makes a store with nothing in it.
    package init() {}

    package func load(volumeIdentifier: [UInt8]) -> [UInt8]? {
        records.withLock { $0[volumeIdentifier] }
    }

    package func save(_ bytes: [UInt8], volumeIdentifier: [UInt8]) {
        records.withLock { $0[volumeIdentifier] = bytes }
    }

    package func exclusively(
        _ body: () throws(ProtectionError) -> sending SecretKey
    ) throws(ProtectionError) -> sending SecretKey {
        try body()
    }
}

/// Counts in files beside the device key.
package struct FileAttemptStore: PasscodeAttemptStore {
    private let store: FolderStore
    private let fileName: String

    private var folder: any BackingFolder { store.root }

    /// Counts beside the device key file of this name.
    package init(store: FolderStore, fileName: String) {
        self.store = store
        self.fileName = fileName
    }

    private func name(_ volumeIdentifier: [UInt8]) -> String {
        "\(fileName).attempts-\(Base64URL.encode(volumeIdentifier))"
    }

    package func load(volumeIdentifier: [UInt8]) throws(HostError) -> [UInt8]? {
        do {
            return try folder.readAll(name(volumeIdentifier), byteCountMaximum: 256)
        } catch  where error.code == HostError.noSuchEntry {
            return nil
        }
    }

    package func save(_ bytes: [UInt8], volumeIdentifier: [UInt8]) throws(HostError) {
        try folder.writeDurably(bytes, as: name(volumeIdentifier))
    }

    package func exclusively(
        _ body: () throws(ProtectionError) -> sending SecretKey
    ) throws(ProtectionError) -> sending SecretKey {
        let lock = try onHost { () throws(HostError) in
            try store.waitForLock("\(fileName).lock")
        }
        defer { lock.unlock() }
        return try body()
    }
}
