private import Cryptography
private import Synchronization

/// A key that opens a volume alone: without passcode, and without the device key.
///
/// Write it down and keep it away from the machine.
public final class RecoveryKey: Sendable {
    private let storage: Mutex<[UInt8]>

    /// Draws a new recovery key.
    package init() { storage = Mutex(SecureRandom.bytes(RecoveryKeyText.byteCount)) }

    /// Reads a recovery key as it was written down: nine groups of four characters.
    ///
    /// Case, spaces and dashes do not matter; O counts as 0, I and L as 1.
    /// - Throws: `wrongPasscode` when it is mistyped.
    public init(_ text: String) throws(ProtectionError) {
        guard let bytes = RecoveryKeyText.decode(text) else { throw .mistypedRecoveryKey }
        storage = Mutex(bytes)
    }

    deinit { storage.withLock { Wipe.zero(&$0) } }

    /// The key as it is written down.
    public var text: String { storage.withLock { RecoveryKeyText.encode($0) } }

    /// Lends the 20 bytes.
    package func withBytes<Result: ~Copyable, Failure: Error>(
        _ body: (Span<UInt8>) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
        try storage.withLock { bytes throws(Failure) in try body(bytes.span) }
    }
}
