import DataProtection
import FoundationEssentials

/// Reads an iOS app's entitlements.
struct Entitlements: Decodable {
    private let className: String?

    /// The entitlement that sets the default class.
    static let key = CodingKeys.className.rawValue

    /// The default class that a property list names.
    ///
    /// - Throws: when the file is no property list, has no such entitlement, or names an unknown
    ///   class.
    static func defaultClass(inFile path: String) throws -> ProtectionClass {
        let file = try HostFile(opening: path)
        var bytes = [UInt8](repeating: 0, count: 1 << 20)
        var span = bytes.mutableSpan
        let count = try file.fill(&span)
        bytes.removeLast(bytes.count - count)
        guard let list = try? PropertyListDecoder().decode(Self.self, from: Data(bytes)) else {
            throw Failure("\(path): this is no property list of entitlements")
        }
        guard let name = list.className else {
            throw Failure("\(path): it has no \(key)", remedy: "give --default-class instead")
        }
        guard let found = ProtectionClass(named: name) else {
            throw Failure(
                "\(path): \(key) is '\(name)', which is no class",
                remedy: "for instance NSFileProtectionComplete")
        }
        return found
    }

    private enum CodingKeys: String, CodingKey {
        case className = "com.apple.developer.default-data-protection"
    }
}
