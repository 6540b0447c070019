internal import DataProtection

/// The reserved name under which a file or folder is made with a class, in one step.
///
/// A program that makes `.dataprotection:complete:note.txt` gets `note.txt` of that class: there is
/// never a moment in which the file has another. Nothing is ever found under such a name.
enum ReservedName {
    static let prefix = Array(MountWords.creationPrefix.utf8)

    /// What a name asks for.
    struct Request {
        /// `nil` for an ordinary name.
        var protectionClass: ProtectionClass?
        var name: [UInt8]
    }

    /// Whether a name is reserved.
    static func isReserved(_ name: [UInt8]) -> Bool { name.starts(with: prefix) }

    /// Reads a name.
    ///
    /// - Throws: `invalidName` for a reserved name with no class in it, or nothing behind it.
    static func read(_ name: [UInt8]) throws(ProtectionError) -> Request {
        guard isReserved(name) else { return Request(name: name) }
        let rest = name.dropFirst(prefix.count)
        guard let colon = rest.firstIndex(of: UInt8(ascii: ":")) else { throw .reservedName }
        let word = String(decoding: rest[..<colon], as: UTF8.self)
        let found = ProtectionClass.allCases.first {
            $0.name == word || String($0.letter) == word
        }
        let wanted = Array(rest[rest.index(after: colon)...])
        guard let found, !isReserved(wanted) else { throw .reservedName }
        return Request(protectionClass: found, name: wanted)
    }

    /// Refuses a reserved name where nothing is made.
    static func refuse(_ name: [UInt8]) throws(ProtectionError) {
        if isReserved(name) { throw .reservedName }
    }
}
