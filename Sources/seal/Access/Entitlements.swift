import DataProtection
import Foundation

/// Reads an iOS app's entitlements.
enum Entitlements {
    /// The entitlement that sets the default class.
    static let key = "com.apple.developer.default-data-protection"

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
        let list = unsafe try? PropertyListSerialization.propertyList(
            from: Data(bytes), format: nil)
        guard let entitlements = list as? [String: Any] else {
            throw Failure("\(path): this is no property list of entitlements")
        }
        guard let value = entitlements[key] else {
            throw Failure("\(path): it has no \(key)", remedy: "give --default-class instead")
        }
        guard let name = value as? String, let found = ProtectionClass(named: name) else {
            throw Failure(
                "\(path): \(key) is '\(value)', which is no class",
                remedy: "for instance NSFileProtectionComplete")
        }
        return found
    }
}
