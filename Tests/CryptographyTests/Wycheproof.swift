import Foundation

/// Project Wycheproof's vectors, which are not part of this package: they are read where they lie.
///
/// Set `SHARED_VECTORS` to their folder, or keep them in `../shared/vectors` beside the package.
enum Wycheproof {
    struct File: Decodable {
        let testGroups: [Group]
    }

    struct Group: Decodable {
        let keySize: Int?
        let ivSize: Int?
        let tests: [Case]
    }

    /// One case; each algorithm's file fills some of the fields, with hexadecimal digits.
    struct Case: Decodable {
        let tcId: Int
        let result: String
        let key: String?
        let iv: String?
        let aad: String?
        let msg: String?
        let ct: String?
        let tag: String?
        let ikm: String?
        let salt: String?
        let info: String?
        let size: Int?
        let okm: String?
        let `public`: String?
        let `private`: String?
        let shared: String?

        var isValid: Bool { result == "valid" }
        var nonce: [UInt8] { hex(iv ?? "") }
        var data: [UInt8] { hex(aad ?? "") }
        var plaintext: [UInt8] { hex(msg ?? "") }
        var ciphertext: [UInt8] { hex(ct ?? "") }
    }

    static let folder: URL = {
        if let chosen = environment("SHARED_VECTORS") { return URL(filePath: chosen) }
        var package = URL(filePath: #filePath)
        for _ in 0..<3 { package.deleteLastPathComponent() }
        return package.deletingLastPathComponent().appending(path: "shared/vectors")
    }()

    static var isMissing: Bool {
        !FileManager.default.fileExists(atPath: folder.appending(path: "README.md").path)
    }

    static func groups(_ name: String) throws -> [Group] {
        let data = try Data(contentsOf: folder.appending(path: name))
        return try JSONDecoder().decode(File.self, from: data).testGroups
    }
}
