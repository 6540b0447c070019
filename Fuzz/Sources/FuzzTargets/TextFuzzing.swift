import Cryptography
import DataProtection

/// A written recovery key stands for one key, and only its own characters write it.
enum RecoveryFuzzing {
    static func run(_ input: inout ByteReader) throws {
        if input.byte() & 1 == 0 {
            let text = String(decoding: input.rest(), as: UTF8.self)
            guard let bytes = RecoveryKeyText.decode(text) else { return }
            try FuzzFault.unless(
                bytes.count == 20 && RecoveryKeyText.decode(RecoveryKeyText.encode(bytes)) == bytes,
                "a recovery key is not the one that was written")
            try FuzzFault.unless(
                text.allSatisfy { $0.isASCII || $0.isWhitespace }, "\(text) writes a recovery key")
            return
        }
        let key = input.take(20).fitted(to: 20)
        let text = RecoveryKeyText.encode(key)
        var typed: [UInt8] = []
        for character in text.utf8 {
            switch input.byte() % 4 {
            case 1: typed += [character, UInt8(ascii: " ")]
            case 2 where (65...90).contains(character): typed.append(character + 32)
            case 3 where character == UInt8(ascii: "-"): break
            case 3 where character == UInt8(ascii: "0"): typed.append(UInt8(ascii: "o"))
            default: typed.append(character)
            }
        }
        try FuzzFault.unless(
            RecoveryKeyText.decode(String(decoding: typed, as: UTF8.self)) == key,
            "\(text) is not understood")
    }
}

/// base64url has one text for some bytes, and one value for a text.
enum Base64Fuzzing {
    static func run(_ input: inout ByteReader) throws {
        let bytes = input.rest()
        let text = Base64URL.encode(bytes)
        try FuzzFault.unless(
            text.utf8.count == Base64URL.characterCount(forByteCount: bytes.count)
                && Base64URL.decode(text) == bytes, "bytes do not come back")
        let given = String(decoding: bytes, as: UTF8.self)
        guard let decoded = Base64URL.decode(given) else { return }
        try FuzzFault.unless(
            Base64URL.encode(decoded).utf8.elementsEqual(given.utf8),
            "two texts stand for the same bytes")
    }
}

/// A host name stands for one name, and only one that was sealed opens.
enum NameFuzzing {
    private static let keys = FixedKeys.of(.xaes256GCM)
    private static let context =
        FormatLabel.bytes("name") + keys.volumeIdentifier + [UInt8](repeating: 9, count: 16)

    static func run(_ input: inout ByteReader) throws {
        if input.byte() & 1 == 0 {
            let host = String(decoding: input.take(until: 0), as: UTF8.self)
            let target = String(decoding: input.rest(), as: UTF8.self)
            try read(host, target)
            return
        }
        let name = Array(input.take(Int(input.byte())))
        guard EntryName.fault(of: name) == nil else { return }
        let sealed = try keys.metadata.names.seal(name.span, authenticating: context.span)
        let entry = EntryName(sealed: sealed)
        try FuzzFault.unless(
            entry.hostName.utf8.count <= 255 && EntryName.isEntry(entry.hostName),
            "a host name that the host does not take")
        var host = Array(entry.hostName.utf8)
        var target = Array((entry.link?.target ?? "").utf8)
        input.editOnce(&host, keepsCount: false)
        input.editOnce(&target, keepsCount: false)
        let found = try read(
            String(decoding: host, as: UTF8.self), String(decoding: target, as: UTF8.self))
        try FuzzFault.unless(found == nil || found == name, "another name opened")
    }

    @discardableResult private static func read(_ host: String, _ target: String) throws
        -> [UInt8]?
    {
        guard let sealed = EntryName.sealedName(hostName: host, linkTarget: { _ in target }) else {
            return nil
        }
        try FuzzFault.unless(
            EntryName(sealed: sealed).hostName.utf8.elementsEqual(host.utf8),
            "two host names stand for one sealed name")
        guard sealed.count > 16,
            let name = try? keys.metadata.names.open(sealed.span, authenticating: context.span)
        else { return nil }
        try FuzzFault.unless(
            try keys.metadata.names.seal(name.span, authenticating: context.span) == sealed,
            "two sealed names stand for one name")
        return name
    }
}

/// A path is names, or no path.
enum PathFuzzing {
    private static let volume: ProtectedVolume = {
        do {
            return try ProtectedVolume.inMemory(
                configuration: VolumeConfiguration(), passcode: nil, deviceKey: .inMemory())
        } catch {
            fatalError("\(error)")
        }
    }()

    static func run(_ input: inout ByteReader) throws {
        let text = String(decoding: input.rest(), as: UTF8.self)
        let names = text.utf8.split(separator: UInt8(ascii: "/")).map(Array.init)
        // Stand-ins for names that are lost may be longer.
        guard !names.contains(where: { $0.starts(with: "damaged:".utf8) }) else {
            _ = try? volume.attributes(of: text)
            return
        }
        let isName = names.map {
            (1...255).contains($0.count) && !$0.contains(0) && $0 != [46] && $0 != [46, 46]
        }
        let expected: ProtectionError.Code? =
            names.isEmpty ? nil : isName.contains(false) ? .invalidName : .missing
        var found: ProtectionError.Code?
        do throws(ProtectionError) { _ = try volume.attributes(of: text) } catch {
            found = error.code
        }
        try FuzzFault.unless(found == expected, "\(text) is \(String(describing: found))")
    }
}
