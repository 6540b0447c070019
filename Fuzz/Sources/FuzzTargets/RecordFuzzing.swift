import Cryptography
import DataProtection

/// A folder's record is read back as it was, and counts only as it was written.
enum FolderFuzzing {
    private static let keys = FixedKeys.of(.xaes256GCM)
    private static let samples: [(record: FolderRecord, target: String)] = [
        nil, ProtectionClass.complete, ProtectionClass.none,
    ].map {
        let record = FolderRecord(
            childClass: $0, identifier: [UInt8](repeating: 9, count: 16))
        do { return (record, try target(of: record)) } catch { fatalError("\(error)") }
    }

    private static func target(of record: FolderRecord) throws -> String {
        try record.target(
            volumeIdentifier: keys.volumeIdentifier, key: keys.metadata.folderKey)
    }

    private static func read(_ text: String) throws -> FolderRecord? {
        let record = try FolderRecord.read(
            target: text, volumeIdentifier: keys.volumeIdentifier, key: keys.metadata.folderKey)
        guard let record else { return nil }
        try FuzzFault.unless(
            try target(of: record) == text, "a folder's record is not what was read")
        return record
    }

    static func run(_ input: inout ByteReader) throws {
        switch input.byte() % 4 {
        case 0:
            // Fields behind a code that is right.
            let bytes = input.take(18).fitted(to: 18)
            let message = FormatLabel.bytes("folder record") + keys.volumeIdentifier + bytes
            let code = try HMACSHA256.authenticate(message.span, key: keys.metadata.folderKey)
            _ = try read(Base64URL.encode(bytes + code.prefix(16)))
        case 1:
            let record = try read(String(decoding: input.rest(), as: UTF8.self))
            try FuzzFault.unless(
                record.map { samples.map(\.record).contains($0) } ?? true,
                "a folder's record counts that nobody wrote")
        default:
            let sample = samples[input.below(samples.count)]
            var bytes = Array(sample.target.utf8)
            input.edit(&bytes, keepsCount: false)
            let text = String(decoding: bytes, as: UTF8.self)
            try FuzzFault.unless(
                try read(text) == nil || samples.contains { $0.target == text },
                "a changed folder's record counts")
        }
    }
}

/// A marker is read back as it was, and counts only as it was written.
enum MarkerFuzzing {
    private static let keys = FixedKeys.of(.xaes256GCM)

    private static func read(_ bytes: [UInt8]) throws -> MarkerRecord? {
        let record = try MarkerRecord.read(
            bytes, volumeIdentifier: keys.volumeIdentifier, key: keys.keyring.markerKey)
        guard let record else { return nil }
        try FuzzFault.unless(
            try record.bytes(key: keys.keyring.markerKey) == bytes, "a marker is not what was read")
        return record
    }

    static func run(_ input: inout ByteReader) throws {
        switch input.byte() % 3 {
        case 0: _ = try read(input.rest())
        case 1:
            let bytes = input.take(48).fitted(to: 48)
            let message = FormatLabel.bytes("marker") + bytes
            _ = try read(
                bytes + HMACSHA256.authenticate(message.span, key: keys.keyring.markerKey))
        default:
            let record = MarkerRecord(
                isClean: input.byte() & 1 == 0, volumeIdentifier: keys.volumeIdentifier,
                session: input.number(), time: input.number())
            let written = try record.bytes(key: keys.keyring.markerKey)
            try FuzzFault.unless(try read(written) == record, "a marker does not count")
            var bytes = written
            input.edit(&bytes, keepsCount: false)
            try FuzzFault.unless(
                try bytes == written || read(bytes) == nil, "a changed marker counts")
        }
    }
}

/// A device key file is one byte for byte, or none.
enum DeviceFuzzing {
    static func run(_ input: inout ByteReader) throws {
        let isFixed = input.byte() & 1 == 1
        var bytes = input.rest()
        if isFixed {
            bytes = bytes.fitted(to: 56)
            bytes += SHA256.hash(bytes.span).prefix(8)
        }
        guard DeviceKeyRecord.isValid(bytes) else { return }
        let again = DeviceKeyRecord.bytes(
            identifier: bytes.field(8..<24), key: bytes.field(24..<56))
        try FuzzFault.unless(again == bytes, "a device key file is not what was read")
    }
}

/// A sealed value opens only as it was sealed, and only for what it was sealed for.
enum ValueFuzzing {
    private static let context = SealedValue.attributeContext(
        volumeIdentifier: FixedKeys.of(.xaes256GCM).volumeIdentifier, name: Array("name".utf8))

    static func run(_ input: inout ByteReader) throws {
        let choice = input.byte()
        let cipher = AEADAlgorithm.both[Int(choice & 1)]
        let metadata = FixedKeys.of(cipher).metadata
        if choice & 2 == 0 {
            let found = try? SealedValue.open(
                input.rest(), context: context, key: metadata.attributesKey, algorithm: cipher)
            return try FuzzFault.unless(found == nil, "a value opened that nobody sealed")
        }
        let value = input.take(Int(input.byte()))
        let sealed = try SealedValue.seal(
            value, context: context, key: metadata.attributesKey, algorithm: cipher)
        var other = context
        var changed = sealed
        if choice & 4 == 0 {
            input.edit(&changed, keepsCount: false)
        } else {
            input.edit(&other, keepsCount: false)
        }
        let found = try? SealedValue.open(
            changed, context: other, key: metadata.attributesKey, algorithm: cipher)
        let isSame = changed == sealed && other == context
        try FuzzFault.unless(
            found == (isSame ? value : nil), "a sealed value is not what was sealed")
    }
}
