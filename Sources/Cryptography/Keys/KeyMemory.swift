private import CSodium
private import Synchronization

/// The memory in which all keys of the process live: a slab of locked, guarded regions.
///
/// One `sodium_malloc` a key would cost a locked page and three more mappings each: of 10,000 keys,
/// an ordinary user's limit leaves all but 2,048 unlocked. In the slab they share ten regions. The
/// regions are locked into memory, left out of core dumps, and absent in a forked child: fork
/// before the first key.
package enum KeyMemory {
    private struct State {
        var chunksWithRoom: [KeyChunk] = []
        var chunkCount = 0
        var keyCount = 0
        var staysDumpable = false
    }

    private static let state = Mutex(State())

    /// How many keys live now, among them the keys that cipher contexts hold.
    package static var keyCount: Int { state.withLock { $0.keyCount } }

    /// How many regions are mapped now; an empty one is kept as a spare.
    package static var chunkCount: Int { state.withLock { $0.chunkCount } }

    /// Whether the kernel would write a core dump of this process or let its user trace it.
    ///
    /// The corresponding C call is `prctl(PR_GET_DUMPABLE)`.
    package static var isProcessDumpable: Bool { csodium_get_dumpable() == 1 }

    /// Forbids core dumps of this process, and tracing of it by the same user.
    ///
    /// Done before the first key is made, unless ``keepProcessDumpable()`` was called. The
    /// corresponding C call is `prctl(PR_SET_DUMPABLE, 0)`.
    package static func makeProcessUndumpable() {
        guard csodium_set_dumpable(0) == 0 else {
            fatalError("PR_SET_DUMPABLE with 0 is defined to succeed; see prctl(2)")
        }
    }

    /// Leaves the process as it is when the first key is made, for debuggers and profilers.
    ///
    /// It has no effect after the first key.
    package static func keepProcessDumpable() {
        state.withLock { $0.staysDumpable = true }
    }

    /// A key's place in the slab.
    @safe
    struct Slot: @unchecked Sendable {
        fileprivate let chunk: KeyChunk
        let start: UnsafeMutablePointer<UInt8>
    }

    /// Takes a free slot, all zeros, and maps a new region when there is none.
    ///
    /// - Returns: the slot; give it back with ``release(_:)``.
    /// - Throws: `keyMemoryExhausted` or `outOfMemory` when no region could be added.
    static func allocate() throws(CryptographyError) -> Slot {
        try state.withLock { state throws(CryptographyError) in
            if state.chunksWithRoom.isEmpty {
                if state.chunkCount == 0, !state.staysDumpable { makeProcessUndumpable() }
                state.chunksWithRoom.append(try KeyChunk())
                state.chunkCount += 1
            }
            let chunk = state.chunksWithRoom[state.chunksWithRoom.count - 1]
            let start = unsafe chunk.takeSlot()
            if chunk.isFull { state.chunksWithRoom.removeLast() }
            state.keyCount += 1
            return unsafe Slot(chunk: chunk, start: start)
        }
    }

    /// Wipes a slot and makes it free; a region that empties is unmapped unless it is the only
    /// spare.
    ///
    /// - Parameter slot: what ``allocate()`` returned; it must not be used afterwards.
    static func release(_ slot: Slot) {
        state.withLock { state in
            let wasFull = slot.chunk.isFull
            unsafe slot.chunk.giveBack(slot.start)
            state.keyCount -= 1
            if wasFull { state.chunksWithRoom.append(slot.chunk) }
            guard slot.chunk.isEmpty else { return }
            let spares = state.chunksWithRoom.count { $0.isEmpty }
            guard spares > 1 else { return }
            state.chunksWithRoom.removeAll { $0 === slot.chunk }
            state.chunkCount -= 1
        }
    }
}
