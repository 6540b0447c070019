import Cryptography
import DataProtection

/// A header is read back as it was, and opens only as it was written.
enum HeaderFuzzing {
    private static let samples: [FileHeader] = AEADAlgorithm.both.flatMap { cipher in
        ProtectionClass.allCases.map { sample($0, cipher) }
    }

    private static func sample(
        _ protectionClass: ProtectionClass, _ cipher: AEADAlgorithm
    ) -> FileHeader {
        var header = FileHeader(
            protectionClass: protectionClass, cipher: cipher.rawValue,
            volumeIdentifier: FixedKeys.of(cipher).volumeIdentifier,
            fileIdentifier: [UInt8](repeating: 7, count: 16))
        header.keptMode = protectionClass == .none ? 0o200 : nil
        header.isSparse = protectionClass == .complete
        do {
            let key = try FixedKeys.key(50)
            try header.signFlags(fileKey: key)
            try header.signMode(key: FixedKeys.of(cipher).metadata.modeKey)
            try FixedKeys.of(cipher).keyring.wrap(key, into: &header)
        } catch {
            fatalError("\(error)")
        }
        return header
    }

    static func run(_ input: inout ByteReader) throws {
        let choice = Int(input.byte())
        guard choice > 0 else { return try read(input.rest().fitted(to: 512)) }
        let sample = samples[choice % samples.count]
        var bytes = sample.bytes
        input.edit(&bytes)
        try read(bytes)
        bytes = withChecksum(bytes)
        guard let header = try? FileHeader(bytes: bytes) else { return }
        try open(header, sample)
    }

    private static func withChecksum(_ bytes: [UInt8]) -> [UInt8] {
        bytes.field(0..<480) + SHA256.hash(bytes.field(0..<480).span)
    }

    private static func read(_ bytes: [UInt8]) throws {
        for bytes in [bytes, withChecksum(bytes)] {
            guard let header = try? FileHeader(bytes: bytes) else { continue }
            try FuzzFault.unless(header.bytes == bytes, "a header is not what was read")
        }
    }

    private static func open(_ header: FileHeader, _ sample: FileHeader) throws {
        let keys = FixedKeys.of(sample.cipher == 1 ? .xaes256GCM : .xChaCha20Poly1305)
        if let key = try? keys.keyring.unwrap(header) {
            try FuzzFault.unless(
                header.boundBytes == sample.boundBytes && header.wrappedKey == sample.wrappedKey,
                "a header opened that nobody wrote")
            if try header.verifiesFlags(fileKey: key) {
                try FuzzFault.unless(
                    header.isSparse == sample.isSparse && header.flagsCode == sample.flagsCode,
                    "flags verify that nobody wrote")
            }
        }
        if try header.verifiesMode(key: keys.metadata.modeKey) {
            try FuzzFault.unless(
                header.keptMode == sample.keptMode && header.modeCode == sample.modeCode
                    && header.fileIdentifier == sample.fileIdentifier
                    && header.volumeIdentifier == sample.volumeIdentifier,
                "a mode verifies that nobody wrote")
        }
    }
}
