import Cryptography
import DataProtection

/// A page opens only as it was sealed and where it was sealed.
enum PageFuzzing {
    /// A page that was sealed.
    private struct Sample: Sendable {
        let cipher: AEADAlgorithm
        let page: Int64
        let word: PageWord
        let host: [UInt8]
        let payload: [UInt8]
    }

    private static let fileIdentifier = [UInt8](repeating: 7, count: 16)
    private static let contexts = AEADAlgorithm.both.map { context($0) }
    private static let places: [(Int64, Int)] = [
        (0, 0), (0, 100), (0, 3540), (1, 1), (1, 4052), (5, 2000), (1 << 40, 4052),
    ]
    private static let samples: [Sample] = AEADAlgorithm.both.flatMap { cipher in
        places.flatMap {
            page, count -> [Sample] in
            let isFull = count == PageLayout.capacity(ofPage: page)
            let last = sample(cipher, page, PageWord(payloadByteCount: count, isLast: true))
            let inner = sample(cipher, page, PageWord(payloadByteCount: count, isLast: false))
            return isFull ? [last, inner] : [last]
        }
    }

    private static func context(_ cipher: AEADAlgorithm) -> AEADContext {
        do {
            let context = try AEADContext(cipher)
            try context.setKey(FixedKeys.key(50))
            return context
        } catch {
            fatalError("\(error)")
        }
    }

    private static var associatedData: [UInt8] {
        PageCodec.associatedData(
            volumeIdentifier: FixedKeys.of(.xaes256GCM).volumeIdentifier,
            fileIdentifier: fileIdentifier)
    }

    private static func sample(_ cipher: AEADAlgorithm, _ page: Int64, _ word: PageWord) -> Sample {
        let payload = [UInt8](repeating: 0xA5, count: word.payloadByteCount).fitted(
            to: PageLayout.capacity(ofPage: page))
        var host = [UInt8](repeating: 0, count: PageLayout.pageByteCount)
        let nonce = [UInt8](repeating: UInt8(truncatingIfNeeded: page &+ 3), count: 24)
        var associatedData = associatedData
        do {
            var span = host.mutableSpan
            try PageCodec.seal(
                payload.span, page: page, word: word, nonce: nonce.span,
                context: contexts[cipher == .xaes256GCM ? 0 : 1], associatedData: &associatedData,
                into: &span)
        } catch {
            fatalError("\(error)")
        }
        return Sample(cipher: cipher, page: page, word: word, host: host, payload: payload)
    }

    static func run(_ input: inout ByteReader) throws {
        let choice = Int(input.byte())
        guard choice > 0 else { return try arithmetic(&input) }
        let sample = samples[choice % samples.count]
        var host = sample.host
        let page = choice < 200 ? sample.page : Int64(input.number(UInt32.self) & 0x7FFF_FFFF)
        input.edit(&host)
        try open(host, at: page, sample)
    }

    private static func open(_ host: [UInt8], at page: Int64, _ sample: Sample) throws {
        guard let word = PageCodec.word(page: page, host: host.span) else { return }
        let capacity = PageLayout.capacity(ofPage: page)
        var payload = [UInt8](repeating: 0xEE, count: capacity)
        var associatedData = associatedData
        do {
            var span = payload.mutableSpan
            try PageCodec.open(
                host.span, page: page, word: word,
                context: contexts[sample.cipher == .xaes256GCM ? 0 : 1],
                associatedData: &associatedData, into: &span)
        } catch {
            return try FuzzFault.unless(
                payload.allSatisfy { $0 == 0 }, "a refused page left something behind")
        }
        let start = PageLayout.headStart(ofPage: page)
        try FuzzFault.unless(
            page == sample.page && host[start...] == sample.host[start...]
                && payload == sample.payload && word == sample.word,
            "a page opened that nobody sealed")
    }

    /// Words, and where bytes lie.
    private static func arithmetic(_ input: inout ByteReader) throws {
        let page = Int64(input.number(UInt64.self) >> 12)
        let raw = input.number(UInt32.self)
        if let word = PageWord(rawValue: raw, page: page) {
            try FuzzFault.unless(word.rawValue == raw, "a word is not what was read")
            try FuzzFault.unless(
                word.payloadByteCount <= PageLayout.capacity(ofPage: page), "a word says too much")
        }
        let offset = Int64(input.number(UInt64.self) >> 2)
        let holder = PageLayout.page(holding: offset)
        let start = PageLayout.payloadStart(ofPage: holder)
        try FuzzFault.unless(
            start <= offset && offset - start < Int64(PageLayout.capacity(ofPage: holder)),
            "byte \(offset) is not in page \(holder)")
        try FuzzFault.unless(
            PageLayout.lastPage(forSize: offset + 1) == holder,
            "a file of \(offset) and one bytes ends elsewhere")
    }
}
