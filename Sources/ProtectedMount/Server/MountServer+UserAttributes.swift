internal import DataProtection
internal import Glibc

/// Extended attributes: `user.*`, and the class among them. See: 'man 7 xattr'.
extension MountServer {
    private static let prefix = Array("user.".utf8)

    /// The name without `user.`.
    private func userName(_ name: [UInt8]) throws(ProtectionError) -> [UInt8] {
        guard name.starts(with: Self.prefix), name.count > Self.prefix.count else {
            throw ProtectionError(.notSupported, "only user. attributes are kept")
        }
        return Array(name.dropFirst(Self.prefix.count))
    }

    private func isClass(_ name: [UInt8]) -> Bool { name == Array(MountWords.classAttribute.utf8) }

    private func isSealedState(_ name: [UInt8]) -> Bool {
        name == Array(MountWords.sealedAttribute.utf8)
    }

    func attribute(
        _ name: [UInt8], of number: UInt64
    ) throws(ProtectionError) -> [UInt8] {
        let user = try userName(name)
        let node = try nodes.node(number)
        if isClass(name) {
            guard let found = try nodes.protectionClass(of: node) else { throw .noAttribute }
            return Array(found.name.utf8)
        }
        if isSealedState(name) {
            // Folders have it, too, so that programs can tell a mounted volume from other places.
            guard node.kind == .file || node.kind == .folder else { throw .noAttribute }
            return Array((try nodes.attributes(of: node).isSealed ? "yes" : "no").utf8)
        }
        guard let value = try nodes.userAttribute(user, of: node) else { throw .noAttribute }
        return value
    }

    /// All names, each with a zero behind it.
    func attributeNames(of number: UInt64) throws(ProtectionError) -> [UInt8] {
        let node = try nodes.node(number)
        guard node.kind == .file || node.kind == .folder else { return [] }
        let names = try nodes.userAttributeNames(of: node)
        var list: [UInt8] = []
        for name in names { list += Self.prefix + name + [0] }
        if (try? nodes.protectionClass(of: node)) != nil {
            list += Array(MountWords.classAttribute.utf8) + [0]
        }
        return list
    }

    /// - Parameter flags: XATTR_CREATE, XATTR_REPLACE.
    func setAttribute(
        _ name: [UInt8], to value: [UInt8], of number: UInt64, flags: Int32
    ) throws(ProtectionError) {
        let user = try userName(name)
        let node = try nodes.node(number)
        if isSealedState(name) { throw .invalidArgument("only a lock and an unlock change it") }
        guard isClass(name) else {
            let rule: UserAttributeRule =
                switch flags {
                case 1: .create
                case 2: .replace
                default: .set
                }
            return try nodes.setUserAttribute(user, to: value, of: node, rule: rule)
        }
        let word = String(decoding: value.prefix { $0 != 0 && $0 != 10 }, as: UTF8.self)
        let wanted = ProtectionClass.allCases.first {
            $0.name == word || String($0.letter) == word
        }
        guard let wanted else {
            throw .invalidArgument(
                "there is no class '\(word)'",
                remedy: "the classes are \(ProtectionClass.allCases.map(\.name))")
        }
        try nodes.setProtectionClass(wanted, of: node)
    }

    func removeAttribute(
        _ name: [UInt8], of number: UInt64
    ) throws(ProtectionError) {
        let user = try userName(name)
        let node = try nodes.node(number)
        guard isClass(name) else { return try nodes.removeUserAttribute(user, of: node) }
        try nodes.setProtectionClass(nil, of: node)
    }
}
