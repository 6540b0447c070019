/// Copies between spans at the speed of `memcpy`, which the standard library does not offer yet.
package enum ByteCopy {
    /// Copies all of `source` over what stands in `target` from `index` on.
    ///
    /// - Precondition: `source` ends inside `target`.
    package static func copy(
        _ source: Span<UInt8>, into target: inout MutableSpan<UInt8>, at index: Int
    ) {
        precondition(index >= 0 && source.count <= target.count - index)
        if source.isEmpty { return }
        unsafe target.withUnsafeMutableBytes { target in
            unsafe source.withUnsafeBytes { source in
                let place = unsafe UnsafeMutableRawBufferPointer(rebasing: target[index...])
                unsafe place.copyMemory(from: source)
            }
        }
    }

    /// Writes zeros into a part of `target`.
    ///
    /// - Precondition: the range lies inside `target`.
    static func clear(_ range: Range<Int>, in target: inout MutableSpan<UInt8>) {
        precondition(range.lowerBound >= 0 && range.upperBound <= target.count)
        unsafe target.withUnsafeMutableBytes { target in
            let place = unsafe UnsafeMutableRawBufferPointer(rebasing: target[range])
            unsafe place.initializeMemory(as: UInt8.self, repeating: 0)
        }
    }

    /// Appends all of `source`.
    static func append(_ source: Span<UInt8>, to bytes: inout [UInt8]) {
        unsafe source.withUnsafeBufferPointer { unsafe bytes.append(contentsOf: $0) }
    }
}
