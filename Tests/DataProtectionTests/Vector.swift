import Cryptography
import DataProtection
import Foundation
import Testing

/// One file of Tests/Vectors, as its README describes it.
struct Vector: CustomTestStringConvertible, Sendable {
    let testDescription: String
    let bytes: [UInt8]
    private let fields: [String: String]

    /// Every vector there is.
    static let all: [Vector] = {
        let folder = Repository.file("Tests/Vectors")
        let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.path)) ?? []
        return names.filter { $0.hasSuffix(".vec") }.sorted().compactMap {
            Vector(folder.appending(path: $0))
        }
    }()

    private init?(_ file: URL) {
        guard let data = try? Data(contentsOf: file),
            let end = data.firstRange(of: Data("\n\n".utf8))
        else { return nil }
        testDescription = file.deletingPathExtension().lastPathComponent
        bytes = Array(data[end.upperBound...])
        var fields: [String: String] = [:]
        for line in String(decoding: data[..<end.lowerBound], as: UTF8.self).split(separator: "\n")
        {
            let colon = line.firstRange(of: ": ")
            let key = String(line[..<(colon?.lowerBound ?? line.index(before: line.endIndex))])
            fields[key] = colon.map { String(line[$0.upperBound...]) } ?? ""
        }
        self.fields = fields
    }

    var layer: String { fields["layer"] ?? "" }
    var expect: String { fields["expect"] ?? "" }

    /// What an `ok` vector gives, by its key without `yields-`.
    var yields: [String: String] {
        Dictionary(
            uniqueKeysWithValues: fields.filter { $0.key.hasPrefix("yields-") }
                .map { (String($0.key.dropFirst(7)), $0.value) })
    }

    /// A value as text; `nil` when the vector has none.
    func text(_ key: String) -> String? { fields[key] }

    /// A decimal value.
    func number(_ key: String) throws -> Int { try #require(fields[key].flatMap { Int($0) }) }

    /// A value in hexadecimal digits; `nil` when the vector has none.
    func hex(_ key: String) -> [UInt8]? {
        fields[key].map { text in
            let digits = Array(text.utf8)
            return stride(from: 0, to: digits.count, by: 2).map {
                UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16)!
            }
        }
    }

    /// A value in hexadecimal digits that the vector must have.
    func bytes(_ key: String) throws -> [UInt8] { try #require(hex(key)) }

    /// A value as a key.
    func key(_ name: String) throws -> SecretKey {
        let bytes = try bytes(name)
        return try SecretKey(copying: bytes.span)
    }
}

extension [UInt8] {
    /// Two lower-case digits for each byte.
    var hexadecimal: String { map { String(format: "%02x", $0) }.joined() }
}

/// What a layer made of a vector.
enum VectorResult {
    case yields([String: String])
    case outcome(String)

    /// Names an error as the vectors do.
    init(_ error: ProtectionError) {
        switch error.code {
        case .sealed: self = .outcome("sealed")
        case .damaged: self = .outcome("damaged")
        case .newerFormat: self = .outcome("newer-format")
        case .wrongPasscode, .invalidArgument: self = .outcome("wrong-passcode")
        case .deviceKey: self = .outcome("other-device")
        default: self = .outcome("\(error.code)")
        }
    }
}
