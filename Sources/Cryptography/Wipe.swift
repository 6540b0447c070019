private import CSodium

/// Overwriting of secrets, in a way that the compiler cannot remove (`sodium_memzero`).
package enum Wipe {
    /// Overwrites every element with zero.
    ///
    /// An array that shares its storage with a copy is separated first, and the copy keeps the
    /// secret: wipe only arrays that you alone hold.
    ///
    /// - Parameter bytes: the array to overwrite; its count stays.
    package static func zero(_ bytes: inout [UInt8]) {
        var span = bytes.mutableSpan
        zero(&span)
    }

    /// Overwrites every byte with zero.
    ///
    /// - Parameter bytes: the bytes to overwrite.
    package static func zero(_ bytes: inout MutableSpan<UInt8>) {
        unsafe bytes.withUnsafeMutableBufferPointer { buffer in
            guard let start = buffer.baseAddress else { return }
            unsafe sodium_memzero(start, buffer.count)
        }
    }
}
