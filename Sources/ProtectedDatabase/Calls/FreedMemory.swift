internal import CSQLite
internal import Synchronization

/// Wipes what SQLite frees: pages of a cache that is dropped would stay in the heap.
///
/// It can only be set before SQLite is first used in the process.
enum FreedMemory {
    nonisolated(unsafe) private static var original = unsafe sqlite3_mem_methods()
    private static let answer = Mutex<Bool?>(nil)

    /// Whether it is wiped; `nil` before anybody wanted it.
    static var isWiped: Bool? { answer.withLock { $0 } }

    /// Has it wiped from now on, if it is not too late.
    static func wipe() {
        answer.withLock { answer in if answer == nil { answer = install() } }
    }

    private static func install() -> Bool {
        guard unsafe csqlite_config_read_memory(&original) == ResultCode.ok else { return false }
        var methods = unsafe original
        unsafe methods.xFree = { memory in
            guard let memory = unsafe memory else { return }
            unsafe FreedMemory.clear(memory)
            unsafe FreedMemory.original.xFree(memory)
        }
        unsafe methods.xRealloc = { memory, count in
            guard let memory = unsafe memory else {
                return unsafe FreedMemory.original.xMalloc(count)
            }
            let oldCount = unsafe FreedMemory.original.xSize(memory)
            // In place while it fits and does not waste more than half.
            if count <= oldCount, count > oldCount / 2 { return unsafe memory }
            guard let new = unsafe FreedMemory.original.xMalloc(count) else { return nil }
            unsafe new.copyMemory(from: memory, byteCount: Int(min(count, oldCount)))
            unsafe FreedMemory.clear(memory)
            unsafe FreedMemory.original.xFree(memory)
            return unsafe new
        }
        return unsafe csqlite_config_memory(&methods) == ResultCode.ok
    }

    private static func clear(_ memory: UnsafeMutableRawPointer) {
        let count = unsafe Int(FreedMemory.original.xSize(memory))
        unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: count)
    }
}
