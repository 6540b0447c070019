package import Cryptography

/// Seals and opens single pages in a buffer of host pages (docs/format.md 8.1).
package enum PageCodec {
    /// The associated data of every page of a file, with room for page number and word at its end.
    package static func associatedData(volumeIdentifier: [UInt8], fileIdentifier: [UInt8])
        -> [UInt8]
    {
        FormatLabel.bytes("page") + volumeIdentifier + fileIdentifier
            + [UInt8](repeating: 0, count: 12)
    }

    /// Puts page number and word at the end of the associated data.
    @inline(__always)
    private static func place(_ page: Int64, _ word: UInt32, in associatedData: inout [UInt8]) {
        let start = associatedData.count - 12
        for index in 0..<8 {
            associatedData[start + index] = UInt8(truncatingIfNeeded: page >> Int64(8 * index))
        }
        for index in 0..<4 {
            associatedData[start + 8 + index] = UInt8(truncatingIfNeeded: word >> UInt32(8 * index))
        }
    }

    /// Seals one page's payload into a host page. The header in page 0 is not touched.
    ///
    /// - Parameters:
    ///   - payload: exactly the page's capacity, zeros behind its length.
    ///   - host: exactly one host page.
    package static func seal(
        _ payload: Span<UInt8>, page: Int64, word: PageWord, nonce: Span<UInt8>,
        context: AEADContext, associatedData: inout [UInt8], into host: inout MutableSpan<UInt8>
    ) throws(CryptographyError) {
        let start = PageLayout.headStart(ofPage: page)
        place(page, word.rawValue, in: &associatedData)
        var tag: [16 of UInt8] = .init(repeating: 0)
        do {
            var tagSpan = tag.mutableSpan
            var ciphertext = host._mutatingExtracting(
                (start + PageLayout.headByteCount)..<PageLayout.pageByteCount)
            try context.seal(
                payload, nonce: nonce, authenticating: associatedData.span, into: &ciphertext,
                tag: &tagSpan)
        }
        ByteCopy.copy(nonce, into: &host, at: start)
        ByteCopy.copy(tag.span, into: &host, at: start + 24)
        for index in 0..<4 {
            host[start + 40 + index] = UInt8(truncatingIfNeeded: word.rawValue >> UInt32(8 * index))
        }
    }

    /// Reads the word of a host page.
    ///
    /// - Returns: `nil` when no writer makes it.
    package static func word(page: Int64, host: Span<UInt8>) -> PageWord? {
        let start = PageLayout.headStart(ofPage: page) + 40
        var raw: UInt32 = 0
        for index in 0..<4 { raw |= UInt32(host[start + index]) << UInt32(8 * index) }
        return PageWord(rawValue: raw, page: page)
    }

    /// Opens one page.
    ///
    /// - Parameters:
    ///   - payload: exactly the page's capacity; zeros if the page does not verify.
    ///   - host: exactly one host page.
    /// - Throws: `authenticationFailed`.
    package static func open(
        _ host: Span<UInt8>, page: Int64, word: PageWord, context: AEADContext,
        associatedData: inout [UInt8], into payload: inout MutableSpan<UInt8>
    ) throws(CryptographyError) {
        let start = PageLayout.headStart(ofPage: page)
        place(page, word.rawValue, in: &associatedData)
        try context.open(
            host.extracting((start + PageLayout.headByteCount)..<PageLayout.pageByteCount),
            tag: host.extracting((start + 24)..<(start + 40)),
            nonce: host.extracting(start..<(start + 24)),
            authenticating: associatedData.span, into: &payload)
        // Bytes behind the end would become content when the file grows.
        for index in word.payloadByteCount..<payload.count where payload[index] != 0 {
            Wipe.zero(&payload)
            throw .authenticationFailed
        }
    }

    /// Whether a host page was never written.
    package static func isHole(_ host: Span<UInt8>) -> Bool {
        for index in 0..<host.count where host[index] != 0 { return false }
        return true
    }
}
