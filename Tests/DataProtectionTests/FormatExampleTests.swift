import Cryptography
import DataProtection
import Foundation
import Testing

@Suite("The worked examples of docs/format.md")
struct FormatExampleTests {
    private static let volume = [UInt8](0x40..<0x50)
    private static let folder = [UInt8](0x50..<0x60)
    private static let file = [UInt8](0x60..<0x70)

    /// The second column of the table behind the marker, without its backticks.
    private static func examples() throws -> [String] {
        let text = try String(
            contentsOf: URL(fileURLWithPath: #filePath)
                .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
                .appendingPathComponent("docs/format.md"), encoding: .utf8)
        let table = text.components(separatedBy: "<!-- worked examples")[1]
            .components(separatedBy: "\n\n")[0]
        return table.split(separator: "\n").dropFirst(3).map {
            $0.split(separator: "|")[1].trimmingCharacters(in: CharacterSet(charactersIn: " `"))
        }
    }

    private static func hex(_ bytes: some Sequence<UInt8>) -> String {
        bytes.map { String(format: "%02x", $0) }.joined()
    }

    private static func hex(_ key: borrowing SecretKey) -> String {
        hex((0..<SecretKey.byteCount).map { key.bytes[$0] })
    }

    private static func derive(
        _ key: borrowing SecretKey, _ purpose: String
    ) throws -> SecretKey {
        try HKDF.deriveKey(from: key, salt: volume, info: FormatLabel.bytes(purpose))
    }

    @Test func `are what the code makes`() throws {
        let root = try SecretKey(copying: [UInt8](0..<32).span)
        let fileKey = try SecretKey(copying: [UInt8](0x80..<0xA0).span)
        let folderKey = try Self.derive(root, "folder record")
        let authenticationKey = try Self.derive(root, "names authentication")
        let encryptionKey = try Self.derive(root, "names encryption")
        let names = try SyntheticIVCipher(
            authenticationKey: authenticationKey, encryptionKey: encryptionKey)
        let context = FormatLabel.bytes("name") + Self.volume + Self.folder
        let sealed = try names.seal(Array("letter.pdf".utf8).span, authenticating: context.span)
        let classNone = try Self.derive(root, "class none")
        let flagsKey = try Self.derive(fileKey, "file flags")
        var header = FileHeader(
            protectionClass: .complete, cipher: 1, volumeIdentifier: Self.volume,
            fileIdentifier: Self.file)
        try header.signFlags(fileKey: fileKey)
        let pageContext =
            FormatLabel.bytes("page") + Self.volume + Self.file
            + [UInt8](littleEndian: UInt64(1)) + [UInt8](littleEndian: UInt32(0x8000_0001))
        let record = try FolderRecord(
            childClass: .completeUnlessOpen, identifier: Self.folder
        ).target(volumeIdentifier: Self.volume, key: folderKey)
        let made = [
            Self.hex(folderKey), record, Self.hex(authenticationKey), Self.hex(encryptionKey),
            Self.hex(sealed), EntryName(sealed: sealed).hostName, Self.hex(classNone),
            Self.hex(flagsKey), Self.hex(header.flagsCode), Self.hex(pageContext),
            RecoveryKeyText.encode([UInt8](0..<20)),
        ]
        #expect(made == (try Self.examples()))
    }
}
