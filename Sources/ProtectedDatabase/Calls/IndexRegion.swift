/// A piece of memory at one address, zeroed when it is made and when it is freed.
@safe
final class IndexRegion: @unchecked Sendable {
    /// Where it is. It stays there as long as the object lives.
    let address: UnsafeMutableRawPointer
    private let byteCount: Int

    init(byteCount: Int) {
        self.byteCount = byteCount
        // As the kernel gives mapped memory: the index begins with 64-bit words.
        unsafe address = UnsafeMutableRawPointer.allocate(byteCount: byteCount, alignment: 4096)
        wipe()
    }

    deinit {
        wipe()
        unsafe address.deallocate()
    }

    private func wipe() {
        unsafe address.initializeMemory(as: UInt8.self, repeating: 0, count: byteCount)
    }
}
