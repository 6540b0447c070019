internal import Cryptography
internal import DataProtection
internal import Synchronization

/// Bytes of a passcode on their way, wiped when nobody has them any more.
///
/// An array that an event and a closure hold has several owners: whoever wipes it wipes a copy of
/// its own.
final class WipedBytes: Sendable {
    private let storage: Mutex<[UInt8]>

    /// Copies a part of a buffer.
    init(copying buffer: [UInt8], _ range: Range<Int>) {
        var bytes: [UInt8] = []
        bytes.reserveCapacity(range.count)
        for index in range { bytes.append(buffer[index]) }
        storage = Mutex(bytes)
    }

    deinit { storage.withLock { Wipe.zero(&$0) } }

    /// The passcode that they are.
    func passcode() throws(ProtectionError) -> Passcode {
        try storage.withLock { bytes throws(ProtectionError) in try Passcode(utf8: bytes) }
    }
}
