private import Cryptography
@_spi(_Unicode) private import Swift
private import Synchronization

/// What the user types to unlock. Its bytes are wiped when the last reference goes.
///
/// Two spellings of one text in Unicode are one passcode: it is brought into normalization form C
/// (Unicode Standard Annex 15) first.
public final class Passcode: Sendable {
    private let storage: Mutex<[UInt8]>

    /// Makes a passcode.
    ///
    /// The caller's own `String` stays in memory until the system reuses it; read a passcode as
    /// bytes where you can.
    /// - Throws: `invalidArgument` unless it has 1 to 1024 bytes in UTF-8.
    public convenience init(_ text: String) throws(ProtectionError) {
        var bytes = Array(text.utf8)
        defer { Wipe.zero(&bytes) }
        try self.init(utf8: bytes)
    }

    /// Makes a passcode from its UTF-8 bytes; the argument itself is the caller's to wipe.
    ///
    /// - Throws: `invalidArgument` unless it is 1 to 1024 bytes of UTF-8.
    public init(utf8 bytes: [UInt8]) throws(ProtectionError) {
        var normalized: [UInt8] = []
        normalized.reserveCapacity(bytes.count * 3)
        if bytes.allSatisfy({ $0 < 0x80 }) {
            // Text in ASCII is normal as it is; a `String` of it would leave a copy in memory.
            for byte in bytes { normalized.append(byte) }
        } else {
            guard let text = String(validating: bytes, as: UTF8.self) else {
                throw .unusablePasscode
            }
            for scalar in text._nfc { normalized.append(contentsOf: UTF8.encode(scalar)!) }
        }
        guard (1...1024).contains(normalized.count), !normalized.contains(0) else {
            Wipe.zero(&normalized)
            throw .unusablePasscode
        }
        storage = Mutex(normalized)
        Wipe.zero(&normalized)
    }

    deinit { storage.withLock { Wipe.zero(&$0) } }

    /// Lends the bytes.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try storage.withLock { bytes throws(Failure) in try body(bytes.span) }
    }
}
