/// A path inside a volume, as names from the top folder down.
struct VolumePath: Hashable, Sendable {
    /// The names; none for the top folder.
    var names: [[UInt8]]

    /// Splits a path. Leading, trailing and doubled slashes do not matter.
    ///
    /// - Throws: `invalidName` for `.` and `..`, and for names that no entry can have.
    init(_ text: String) throws(ProtectionError) {
        names = []
        for part in text.utf8.split(separator: UInt8(ascii: "/")) {
            let name = Array(part)
            if let fault = EntryName.fault(of: name), !DamagedEntry.isName(name) {
                throw ProtectionError.invalidName(fault).at(text)
            }
            names.append(name)
        }
    }

    /// Puts names together that were looked at already.
    init(names: [[UInt8]]) { self.names = names }

    /// The last name; `nil` for the top folder.
    var last: [UInt8]? { names.last }
}

/// How an entry is called whose name cannot be read: it can still be listed and removed.
enum DamagedEntry {
    private static let prefix = "damaged:"

    /// What the entry is called.
    static func name(hostName: String) -> String { prefix + hostName }

    /// Whether a name is of this kind.
    static func isName(_ name: [UInt8]) -> Bool { name.starts(with: prefix.utf8) }

    /// The host name behind such a name; `nil` when it is not one.
    static func hostName(_ name: [UInt8]) -> String? {
        guard isName(name) else { return nil }
        let hostName = String(decoding: name.dropFirst(prefix.utf8.count), as: UTF8.self)
        return EntryName.isEntry(hostName) && !hostName.contains("/") ? hostName : nil
    }
}
