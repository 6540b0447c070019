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
    /// Page 0 as it was read; most files have no other.
    private let firstPage: [UInt8]

    /// Reads a host file's header, by the rules of docs/format.md 9.
    ///
    /// - Parameter session: tells whether a missing header is a crash's or a cut.
    /// - Throws: `damaged`, `host`.
    init(_ file: any BackingFile, session: Session) throws(ProtectionError) {
        var page = [UInt8](repeating: 0, count: PageLayout.pageByteCount)
        let count = try Self.read(file, 0, &page)
        size = 0
        firstPage = page
        guard count == page.count, !PageCodec.isHole(page.span) else {
            guard session.excusesMissingEnds else {
                throw .damaged("the file was cut: it has no header")
            }
            return
        }
        header = try reading { () throws(FormatError) in try FileHeader(bytes: page) }
    }

    /// Finds out where the file ends; after an unclean stop by looking at every page head.
    ///
    /// The sparse flag decides what a hole is, so it is to be authenticated before.
    mutating func measure(_ file: any BackingFile, session: Session) throws(ProtectionError) {
        guard let header else { return }
        let attributes = try onHost { () throws(HostError) in try file.attributes() }
        if attributes.byteCount <= Int64(PageLayout.pageByteCount) || !session.excusesMissingEnds,
            let end = try flaggedEnd(file, hostByteCount: attributes.byteCount)
        {
            size = end
            return
        }
        guard session.excusesMissingEnds else {
            throw .damaged("the file was cut: its last page is missing")
        }
        try findEnd(file, isSparse: header.isSparse, hostByteCount: attributes.byteCount)
    }

    /// The size as far as one look at the host tells, for those who only ask.
    mutating func estimate(_ file: any BackingFile, session: Session) throws(ProtectionError) {
        guard session.excusesMissingEnds else { return try measure(file, session: session) }
        guard header != nil else { return }
        let attributes = try onHost { () throws(HostError) in try file.attributes() }
        size =
            try flaggedEnd(file, hostByteCount: attributes.byteCount)
            ?? PageLayout.payloadStart(
                ofPage: attributes.byteCount / Int64(PageLayout.pageByteCount))
    }

    /// The size that the host's last page tells; `nil` when it is no last page.
    private func flaggedEnd(
        _ file: any BackingFile, hostByteCount: Int64
    ) throws(ProtectionError) -> Int64? {
        guard hostByteCount > 0, hostByteCount % Int64(PageLayout.pageByteCount) == 0 else {
            return nil
        }
        let last = hostByteCount / Int64(PageLayout.pageByteCount) - 1
        var page = firstPage
        let count = last == 0 ? page.count : try Self.read(file, last, &page)
        guard count == page.count, let word = PageCodec.word(page: last, host: page.span),
            word.isLast
        else { return nil }
        return PageLayout.payloadStart(ofPage: last) + Int64(word.payloadByteCount)
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
                guard isSparse,
                    let data = try onHost({ () throws(HostError) in
                        try file.nextData(from: PageLayout.hostOffset(ofPage: number + 1))
                    })
                else { break }
                number = data / Int64(PageLayout.pageByteCount)
                continue
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
        try? file.userAttributes.set(
            attributeName, to: [UInt8(ascii: "0") + protectionClass.rawValue], rule: .set)
    }

    /// The class of a file whose header a crash kept from being written: its folder's, or a
    /// stricter one that was noted.
    static func classWithoutHeader(
        _ file: any BackingFile, folderClass: ProtectionClass
    ) -> ProtectionClass {
        read(file).map { ProtectionClass.stricter($0, folderClass) } ?? folderClass
    }

    private static func read(_ file: any BackingFile) -> ProtectionClass? {
        guard let value = try? file.userAttributes.value(of: attributeName), value.count == 1,
            value[0] > UInt8(ascii: "0")
        else { return nil }
        return ProtectionClass(rawValue: value[0] - UInt8(ascii: "0"))
    }
}
