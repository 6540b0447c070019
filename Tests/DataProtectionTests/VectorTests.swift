import Cryptography
import DataProtection
import TestSupport
import Testing

/// Tests/Vectors, which an independent implementation made, layer by layer.
@Suite struct `The vectors` {
    @Test func `are there, in every layer`() {
        #expect(Vector.all.count > 300)
        #expect(
            Set(Vector.all.map(\.layer))
                == [
                    "recovery-key", "device-key", "slot", "keybag", "keybag-copies", "marker",
                    "folder-record", "name", "symbolic-link", "attribute", "header", "page", "file",
                ])
    }

    @Test(arguments: Vector.all)
    func `give what they say`(vector: Vector) throws {
        let result: VectorResult
        do {
            result = try run(vector)
        } catch let error as ProtectionError {
            result = VectorResult(error)
        } catch let error as FormatError {
            result = VectorResult(ProtectionError(error))
        } catch CryptographyError.authenticationFailed {
            result = .outcome("damaged")
        }
        switch result {
        case .outcome(let outcome): #expect(outcome == vector.expect)
        case .yields(let found):
            #expect(vector.expect == "ok")
            #expect(!vector.yields.isEmpty)
            for (key, value) in vector.yields { #expect(found[key] == value, "\(key)") }
        }
    }

    private func run(_ vector: Vector) throws -> VectorResult {
        switch vector.layer {
        case "recovery-key":
            let text = String(decoding: vector.bytes, as: UTF8.self)
            guard let key = RecoveryKeyText.decode(text) else {
                return .outcome("not-a-recovery-key")
            }
            return .yields(["key": key.hexadecimal])
        case "device-key":
            guard DeviceKeyRecord.isValid(vector.bytes) else { return .outcome("damaged") }
            return .yields([
                "device-id": vector.bytes.field(8..<24).hexadecimal,
                "device-key": vector.bytes.field(24..<56).hexadecimal,
            ])
        case "marker": return try marker(vector)
        case "folder-record": return try folderRecord(vector)
        case "name": return try name(vector)
        case "symbolic-link": return try symbolicLink(vector)
        case "attribute": return try attribute(vector)
        case "header": return try header(vector)
        case "page": return try page(vector)
        case "file": return try file(vector)
        default: return try KeybagVector(vector: vector).run()
        }
    }

    private func marker(_ vector: Vector) throws -> VectorResult {
        let root = try vector.key("volume-root")
        let key = try HKDF.deriveKey(
            from: root, salt: vector.bytes("volume-id"), info: FormatLabel.bytes("marker"))
        let record = try MarkerRecord.read(
            vector.bytes, volumeIdentifier: vector.bytes("volume-id"), key: key)
        guard let record else { return .outcome("damaged") }
        return .yields([
            "state": record.isClean ? "clean" : "unclean", "session": "\(record.session)",
            "time": "\(record.time)",
        ])
    }

    private func folderRecord(_ vector: Vector) throws -> VectorResult {
        let metadata = try VectorKeys(vector).keyring.metadata()
        let record = try FolderRecord.read(
            target: String(decoding: vector.bytes, as: UTF8.self),
            volumeIdentifier: vector.bytes("volume-id"), key: metadata.folderKey)
        guard let record else { return .outcome("damaged") }
        return .yields([
            "class": "\(record.childClass?.rawValue ?? 0)",
            "folder-id": record.identifier.hexadecimal,
            "mode": record.keptMode.map { String($0, radix: 8) } ?? "none",
        ])
    }

    private func name(_ vector: Vector) throws -> VectorResult {
        let names = try VectorKeys(vector).keyring.metadata().names
        let hostName = String(decoding: vector.bytes, as: UTF8.self)
        let context =
            try FormatLabel.bytes("name") + vector.bytes("volume-id")
            + vector.bytes("folder-id")
        guard
            let sealed = EntryName.sealedName(
                hostName: hostName,
                linkTarget: { _ in
                    vector.text("link")
                }), sealed.count >= 16
        else { return .outcome("damaged") }
        let name = try names.open(sealed.span, authenticating: context.span)
        guard EntryName.fault(of: name) == nil else { return .outcome("damaged") }
        return .yields(["name": name.hexadecimal])
    }

    private func symbolicLink(_ vector: Vector) throws -> VectorResult {
        let metadata = try VectorKeys(vector).keyring.metadata()
        let text = String(decoding: vector.bytes, as: UTF8.self)
        guard let sealed = Base64URL.decode(text) else { return .outcome("damaged") }
        let target = try SealedValue.open(
            sealed,
            context: SealedValue.linkContext(volumeIdentifier: vector.bytes("volume-id")),
            key: metadata.attributesKey, algorithm: try algorithm(vector))
        return .yields(["target": target.hexadecimal])
    }

    private func attribute(_ vector: Vector) throws -> VectorResult {
        let metadata = try VectorKeys(vector).keyring.metadata()
        let hostName = try #require(vector.text("host-name"))
        let identifier = try vector.bytes("volume-id")
        guard let sealedName = Base64URL.decode(String(hostName.dropFirst("user.".utf8.count)))
        else { return .outcome("damaged") }
        let name = try metadata.names.open(
            sealedName.span,
            authenticating: SealedValue.attributeNameContext(volumeIdentifier: identifier).span)
        let value = try SealedValue.open(
            vector.bytes,
            context: SealedValue.attributeContext(volumeIdentifier: identifier, name: name),
            key: metadata.attributesKey, algorithm: try algorithm(vector))
        return .yields(["name": name.hexadecimal, "value": value.hexadecimal])
    }

    private func algorithm(_ vector: Vector) throws -> AEADAlgorithm {
        try #require(AEADAlgorithm(rawValue: UInt8(vector.number("cipher"))))
    }

    private func header(_ vector: Vector) throws -> VectorResult {
        let keys = try VectorKeys(vector)
        let header = try FileHeader(bytes: vector.bytes)
        let fileKey = try keys.keyring.unwrap(header)
        guard try header.verifiesFlags(fileKey: fileKey) else { return .outcome("damaged") }
        var mode = "unavailable"
        if let metadata = try? keys.keyring.metadata() {
            guard try header.verifiesMode(key: metadata.modeKey) else { return .outcome("damaged") }
            mode = header.keptMode.map { String($0, radix: 8) } ?? "none"
        }
        let keyBytes = (0..<32).map { fileKey.bytes[$0] }
        return .yields([
            "class": "\(header.protectionClass.rawValue)", "cipher": "\(header.cipher)",
            "file-id": header.fileIdentifier.hexadecimal, "file-key": keyBytes.hexadecimal,
            "sparse": "\(header.isSparse)", "mode": mode,
        ])
    }

    private func page(_ vector: Vector) throws -> VectorResult {
        let number = Int64(try vector.number("page-number"))
        guard !PageCodec.isHole(vector.bytes.span) else { return .outcome("hole") }
        guard let word = PageCodec.word(page: number, host: vector.bytes.span) else {
            return .outcome("damaged")
        }
        let algorithm = try #require(AEADAlgorithm(rawValue: UInt8(vector.number("cipher"))))
        let context = try AEADContext(algorithm)
        let fileKey = try vector.key("file-key")
        try context.setKey(fileKey)
        var data = PageCodec.associatedData(
            volumeIdentifier: try vector.bytes("volume-id"),
            fileIdentifier: try vector.bytes("file-id"))
        var payload = [UInt8](repeating: 0, count: PageLayout.capacity(ofPage: number))
        var span = payload.mutableSpan
        try PageCodec.open(
            vector.bytes.span, page: number, word: word, context: context, associatedData: &data,
            into: &span)
        let content = Array(payload[..<word.payloadByteCount])
        return .yields([
            "size": "\(word.payloadByteCount)", "last": "\(word.isLast)",
            "sha256": SHA256.hash(content.span).hexadecimal,
        ])
    }

    private func file(_ vector: Vector) throws -> VectorResult {
        let volume = try VectorKeys(vector).volume()
        let content = try volume.read("f")
        let found = try volume.attributes(of: "f")
        if found.damage != nil { return .outcome("damaged") }
        return .yields([
            "class": "\(found.protectionClass?.rawValue ?? 0)", "size": "\(content.count)",
            "sha256": SHA256.hash(content.span).hexadecimal,
        ])
    }
}
