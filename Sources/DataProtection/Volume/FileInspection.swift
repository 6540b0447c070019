internal import Cryptography

/// What a host file says of itself without its key: header, size, and where it has to be put in
/// order.
struct FileInspection: Sendable {
    /// The header; `nil` when it was never written.
    var header: FileHeader?
    /// The file's size, in bytes.
    var size: Int64
    /// Whether the host file ends elsewhere than the file does.
    var hasLeftovers = false
    /// Whether the last page lacks its flag.
    var lacksEnd = false

    /// Looks at a host file, by the rules of docs/format.md 9.
    ///
    /// - Parameter session: tells whether a missing end is a crash's or a cut.
    /// - Throws: `damaged`, `host`.
    init(_ file: any BackingFile, session: Session) throws(ProtectionError) {
        let attributes = try onHost { () throws(HostError) in try file.attributes() }
        var page = [UInt8](repeating: 0, count: PageLayout.pageByteCount)
        let count = try Self.read(file, 0, &page)
        guard count == page.count, !PageCodec.isHole(page.span) else {
            guard session.isUnclean else { throw .damaged("the file was cut: it has no header") }
            size = 0
            return
        }
        let header = try reading { () throws(FormatError) in try FileHeader(bytes: page) }
        self.header = header
        size = 0
        let isWhole = attributes.byteCount % Int64(PageLayout.pageByteCount) == 0
        let hostLast = (attributes.byteCount - 1) / Int64(PageLayout.pageByteCount)
        if isWhole, !session.isUnclean || hostLast == 0 {
            if hostLast > 0 { _ = try Self.read(file, hostLast, &page) }
            if let word = PageCodec.word(page: hostLast, host: page.span), word.isLast {
                size = PageLayout.payloadStart(ofPage: hostLast) + Int64(word.payloadByteCount)
                return
            }
        }
        guard session.isUnclean else {
            throw .damaged("the file was cut: its last page is missing")
        }
        try findEnd(file, isSparse: header.isSparse, hostByteCount: attributes.byteCount)
    }

    /// Goes over all page heads until the file ends.
    private mutating func findEnd(
        _ file: any BackingFile, isSparse: Bool, hostByteCount: Int64
    ) throws(ProtectionError) {
        var page = [UInt8](repeating: 0, count: PageLayout.pageByteCount)
        var lastWritten: Int64 = 0
        var number: Int64 = 0
        while try Self.read(file, number, &page) == page.count {
            if number > 0, PageCodec.isHole(page.span) {
                guard isSparse else { break }
            } else {
                lastWritten = number
                if let word = PageCodec.word(page: number, host: page.span), word.isLast {
                    size = PageLayout.payloadStart(ofPage: number) + Int64(word.payloadByteCount)
                    hasLeftovers = hostByteCount > PageLayout.hostOffset(ofPage: number + 1)
                    return
                }
            }
            number += 1
        }
        size = PageLayout.payloadStart(ofPage: lastWritten + 1)
        lacksEnd = true
        hasLeftovers = hostByteCount > PageLayout.hostOffset(ofPage: lastWritten + 1)
    }

    private static func read(
        _ file: any BackingFile, _ page: Int64, _ bytes: inout [UInt8]
    ) throws(ProtectionError) -> Int {
        var span = bytes.mutableSpan
        do {
            return try file.read(into: &span, at: PageLayout.hostOffset(ofPage: page))
        } catch {
            throw ProtectionError(error)
        }
    }
}

/// The class hint on the host (docs/format.md 8.4).
enum ClassHint {
    private static let attributeName = "user.seal.class"

    /// Notes the class of a file whose header is about to be written. A host without attributes
    /// does without: then a crash in this moment leaves an empty file of its folder's class.
    static func set(_ protectionClass: ProtectionClass, on file: any BackingFile) {
        try? file.setAttribute(
            attributeName, to: [UInt8(ascii: "0") + protectionClass.rawValue])
    }

    /// The class that was noted.
    static func read(_ file: any BackingFile) -> ProtectionClass? {
        guard let value = try? file.attribute(attributeName), value.count == 1,
            value[0] > UInt8(ascii: "0")
        else { return nil }
        return ProtectionClass(rawValue: value[0] - UInt8(ascii: "0"))
    }
}
