/// Where a file's bytes are on the host (docs/format.md 8.1).
package enum PageLayout {
    /// The length of a page on the host, in bytes.
    package static let pageByteCount = 4096
    /// The length of the header at the start of page 0, in bytes.
    package static let headerByteCount = 512
    /// The length of nonce, tag and word before a page's ciphertext, in bytes.
    package static let headByteCount = 44
    /// The payload of page 0, in bytes.
    package static let firstPayloadByteCount = pageByteCount - headerByteCount - headByteCount
    /// The payload of every other page, in bytes.
    package static let payloadByteCount = pageByteCount - headByteCount

    /// The number of the page that holds the file's byte at `offset`.
    package static func page(holding offset: Int64) -> Int64 {
        offset < Int64(firstPayloadByteCount)
            ? 0 : 1 + (offset - Int64(firstPayloadByteCount)) / Int64(payloadByteCount)
    }

    /// The file's offset at which a page's payload begins.
    package static func payloadStart(ofPage page: Int64) -> Int64 {
        page == 0 ? 0 : Int64(firstPayloadByteCount) + (page - 1) * Int64(payloadByteCount)
    }

    /// How much payload a page can hold, in bytes.
    package static func capacity(ofPage page: Int64) -> Int {
        page == 0 ? firstPayloadByteCount : payloadByteCount
    }

    /// Where a page's nonce begins within the page.
    package static func headStart(ofPage page: Int64) -> Int {
        page == 0 ? headerByteCount : 0
    }

    /// Where a page begins on the host.
    package static func hostOffset(ofPage page: Int64) -> Int64 { page * Int64(pageByteCount) }

    /// The last page of a file of this size; an empty file has page 0.
    package static func lastPage(forSize size: Int64) -> Int64 {
        size == 0 ? 0 : page(holding: size - 1)
    }
}

/// The word in a page's head: how much payload, and whether the file ends here.
package struct PageWord: Hashable, Sendable {
    /// The payload's length, in bytes.
    package var payloadByteCount: Int
    /// Whether this is the file's last page.
    package var isLast: Bool

    /// Describes a page.
    package init(payloadByteCount: Int, isLast: Bool) {
        self.payloadByteCount = payloadByteCount
        self.isLast = isLast
    }

    /// The word as stored.
    package var rawValue: UInt32 { UInt32(payloadByteCount) | (isLast ? 0x8000_0000 : 0) }

    /// Reads a word.
    ///
    /// - Returns: `nil` when no writer makes this word for this page.
    package init?(rawValue: UInt32, page: Int64) {
        let byteCount = Int(rawValue & 0xFFFF)
        let isLast = rawValue & 0x8000_0000 != 0
        let capacity = PageLayout.capacity(ofPage: page)
        guard rawValue & 0x7FFF_0000 == 0, byteCount <= capacity else { return nil }
        guard isLast ? (byteCount > 0 || page == 0) : byteCount == capacity else { return nil }
        self.init(payloadByteCount: byteCount, isLast: isLast)
    }
}
