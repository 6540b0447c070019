/// The name of a database in an `ATTACH` or a `VACUUM INTO`, read as SQLite reads it
/// (`sqlite3ParseUri`): what is read otherwise here could lead out of the volume.
struct AttachedName {
    /// The options behind the path of a URI, in their order.
    private(set) var options: [(name: String, value: String)] = []

    /// Reads a name.
    init(_ name: String) {
        guard name.hasPrefix("file:") else { return }
        let uri = name.utf8.dropFirst(5).prefix { $0 != UInt8(ascii: "#") }
        guard let question = uri.firstIndex(of: UInt8(ascii: "?")) else { return }
        for option in uri[uri.index(after: question)...].split(separator: UInt8(ascii: "&")) {
            let parts = option.split(
                separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            options.append((Self.decoded(parts[0]), parts.count > 1 ? Self.decoded(parts[1]) : ""))
        }
    }

    /// Whether it is opened through a layer that is the default: none is named, or that one.
    func isOf(layer: String) -> Bool {
        options.allSatisfy { $0.name != "vfs" || $0.value == layer }
    }

    /// The text of an option's name or value; what follows a zero byte does not count.
    private static func decoded(_ escaped: some Collection<UInt8>) -> String {
        var bytes: [UInt8] = []
        var rest = Array(escaped)[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(2)
            guard byte == UInt8(ascii: "%"), digits.count == 2,
                digits.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let octet = UInt8(String(decoding: digits, as: UTF8.self), radix: 16)
            else {
                bytes.append(byte)
                continue
            }
            rest = rest.dropFirst(2)
            if octet == 0 { break }
            bytes.append(octet)
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
