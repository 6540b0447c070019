private import CSodium
private import Glibc

/// One region of guarded, locked memory, divided into slots of one key each.
///
/// Guard pages on both sides and a canary in front come from `sodium_malloc`. The object has no
/// lock of its own: ``KeyMemory`` calls it only while it holds its mutex.
@safe
final class KeyChunk: @unchecked Sendable {
    /// The size of the region in bytes: 32 KiB, or one page where pages are larger.
    static let byteCount = max(32 * 1024, sysconf(Int32(_SC_PAGESIZE)))

    /// How many keys one region holds.
    static let slotCount = byteCount / SecretKey.byteCount

    private let start: UnsafeMutablePointer<UInt8>
    private var freeSlots: [Int32]

    /// Maps, guards and locks a region.
    ///
    /// - Throws: `keyMemoryExhausted` when the kernel refuses to lock it, `outOfMemory` when it
    ///   refuses to map it. See `mlock(2)` and `madvise(2)`.
    init() throws(CryptographyError) {
        Libsodium.initialize()
        guard let memory = unsafe sodium_malloc(Self.byteCount) else { throw .outOfMemory }
        // sodium_malloc locks too, but does not say whether it could.
        guard unsafe sodium_mlock(memory, Self.byteCount) == 0 else {
            unsafe sodium_free(memory)
            throw .keyMemoryExhausted
        }
        guard unsafe madvise(memory, Self.byteCount, MADV_DONTDUMP) == 0,
            unsafe madvise(memory, Self.byteCount, MADV_DONTFORK) == 0
        else {
            let code = UInt64(errno)
            unsafe sodium_free(memory)
            throw .library(code: code)
        }
        unsafe sodium_memzero(memory, Self.byteCount)
        unsafe start = memory.bindMemory(to: UInt8.self, capacity: Self.byteCount)
        freeSlots = (0..<Int32(Self.slotCount)).reversed()
    }

    deinit { unsafe sodium_free(start) }

    /// Whether no slot is free.
    var isFull: Bool { freeSlots.isEmpty }

    /// Whether every slot is free.
    var isEmpty: Bool { freeSlots.count == Self.slotCount }

    /// Takes a free slot, all zeros.
    ///
    /// - Returns: the slot's first byte; trapping when the chunk is full is the caller's error.
    func takeSlot() -> UnsafeMutablePointer<UInt8> {
        unsafe start + Int(freeSlots.removeLast()) * SecretKey.byteCount
    }

    /// Wipes a slot and makes it free.
    ///
    /// - Parameter slot: a pointer that ``takeSlot()`` returned.
    func giveBack(_ slot: UnsafeMutablePointer<UInt8>) {
        unsafe sodium_memzero(slot, SecretKey.byteCount)
        freeSlots.append(Int32(unsafe (slot - start) / SecretKey.byteCount))
    }
}
