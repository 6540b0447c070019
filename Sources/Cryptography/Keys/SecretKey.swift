private import CSodium

/// 32 secret bytes in guarded, locked memory, wiped when the owner lets go.
///
/// A key has one owner and cannot be copied by accident: ``duplicate()`` says so where a second one
/// is needed. See ``KeyMemory`` for where the bytes live.
package struct SecretKey: ~Copyable, Sendable {
    /// The length of every key, in bytes.
    package static var byteCount: Int { 32 }

    private let slot: KeyMemory.Slot

    /// Makes a key of zeros, for an operation of this module to write into.
    init() throws(CryptographyError) {
        slot = try KeyMemory.allocate()
    }

    deinit { KeyMemory.release(slot) }

    /// Makes a key whose bytes `fill` writes.
    ///
    /// - Parameter fill: writes the 32 bytes, which are zero before; when it throws, they are
    ///   wiped.
    /// - Throws: what `fill` throws; `CryptographyError.keyMemoryExhausted` or `.outOfMemory`.
    package init<E: Error>(fill: (inout MutableSpan<UInt8>) throws(E) -> Void) throws {
        let slot = try KeyMemory.allocate()
        do {
            var bytes = unsafe MutableSpan(_unsafeStart: slot.start, count: Self.byteCount)
            try fill(&bytes)
        } catch {
            KeyMemory.release(slot)
            throw error
        }
        self.slot = slot
    }

    /// Makes a key from bytes that lie elsewhere; wiping those is the caller's duty.
    ///
    /// - Parameter bytes: exactly 32 bytes.
    /// - Throws: `invalidLength` for any other count; `keyMemoryExhausted` or `outOfMemory`.
    package init(copying bytes: Span<UInt8>) throws(CryptographyError) {
        guard bytes.count == Self.byteCount else { throw .invalidLength }
        try self.init()
        var target = mutableBytes
        for index in bytes.indices { target[index] = bytes[index] }
    }

    /// Makes a random key.
    ///
    /// - Returns: 32 bytes from the kernel's generator.
    /// - Throws: `keyMemoryExhausted` or `outOfMemory`.
    package static func random() throws(CryptographyError) -> SecretKey {
        var key = try SecretKey()
        var bytes = key.mutableBytes
        SecureRandom.fill(&bytes)
        return key
    }

    /// Makes a second key with the same bytes.
    ///
    /// - Returns: a key with an owner and a lifetime of its own.
    /// - Throws: `keyMemoryExhausted` or `outOfMemory`.
    package func duplicate() throws(CryptographyError) -> SecretKey {
        try SecretKey(copying: bytes)
    }

    /// Tells whether two keys have the same bytes, in constant time (`sodium_memcmp`).
    ///
    /// - Parameter other: the key to compare with.
    /// - Returns: whether all 32 bytes agree.
    package func matches(_ other: borrowing SecretKey) -> Bool {
        unsafe sodium_memcmp(slot.start, other.slot.start, Self.byteCount) == 0
    }

    /// The key's bytes; the view cannot outlive the key.
    package var bytes: Span<UInt8> {
        @_lifetime(borrow self)
        borrowing get {
            let span = unsafe Span(_unsafeStart: slot.start, count: Self.byteCount)
            return unsafe _overrideLifetime(span, borrowing: self)
        }
    }

    /// The key's bytes, for an operation of this module to write.
    var mutableBytes: MutableSpan<UInt8> {
        @_lifetime(&self)
        mutating get {
            let span = unsafe MutableSpan(_unsafeStart: slot.start, count: Self.byteCount)
            return unsafe _overrideLifetime(span, mutating: &self)
        }
    }
}
