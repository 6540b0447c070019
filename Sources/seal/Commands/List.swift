import DataProtection

extension Command {
    static let list = Command(
        "ls", "list a folder; works without the passcode",
        operands: [.volume, Operand("PATH", isOptional: true)],
        options: [ListOption.long, .json] + Option.access,
        details: """
            One name a line; a folder's ends with a slash. With -l: permission bits, class (in
            brackets while its key is not there), size in bytes, time of the last change in UTC.
            """,
        examples: ["seal ls vault", "seal ls vault letters -l"],
        run: runList)

    private static func runList(_ arguments: Arguments) throws {
        let path = arguments.operand(1) ?? "/"
        let isLong = arguments.has(ListOption.long)
        try VolumeAccess.with(arguments) { volume in
            let items = try Item.list(path, in: volume, detailed: isLong || arguments.has(.json))
            if arguments.has(.json) {
                return try Output.line(JSONValue.array(items.map(\.json)).lines)
            }
            let lines = items.map { isLong ? $0.longLine : $0.shownName }
            try Output.text(lines.map { $0 + "\n" }.joined())
        }
    }
}

/// The options of `ls` alone.
enum ListOption {
    static let long = Option("--long", letter: "l", "one line of details for each")
}

/// One entry of a listing.
struct Item {
    /// Its name.
    let name: String
    /// What it is.
    let kind: ItemKind
    /// What is known of it; `nil` when only its name was asked for, or nothing can be known.
    let attributes: ItemAttributes?
    /// Why nothing can be known; `nil` when it is, or was not asked for.
    var fault: ProtectionError?

    /// Lists a folder, or the one file that the path names.
    static func list(
        _ path: String, in volume: ProtectedVolume, detailed: Bool
    ) throws -> [Item] {
        try volume.requireFolder(ifNamed: path)
        let attributes = try volume.attributes(of: path)
        guard attributes.kind == .folder else {
            return [Item(name: lastName(of: path), kind: attributes.kind, attributes: attributes)]
        }
        return try volume.list(path).map { entry in
            guard detailed else { return Item(name: entry.name, kind: entry.kind, attributes: nil) }
            return Item(entry.name, entry.kind, at: joined(path, entry.name), in: volume)
        }
    }

    /// An entry with what is known of it.
    private init(_ name: String, _ kind: ItemKind, at path: String, in volume: ProtectedVolume) {
        self.name = name
        self.kind = kind
        do throws(ProtectionError) {
            attributes = try volume.attributes(of: path)
        } catch {
            attributes = nil
            fault = error
        }
    }

    private init(name: String, kind: ItemKind, attributes: ItemAttributes?) {
        self.name = name
        self.kind = kind
        self.attributes = attributes
    }

    /// The name; on a terminal without anything that could control it.
    var shownName: String {
        let safe = Terminal.showsOutput ? Terminal.harmless(name) : name
        return kind == .folder ? safe + "/" : safe
    }

    /// The entry with its details, in columns.
    var longLine: String {
        let letter = ["file": "-", "folder": "d", "symlink": "l"][kind.rawValue] ?? "?"
        guard let attributes else {
            let columns =
                letter + String(repeating: "?", count: 9) + "  " + HelpText.padded("?", to: 40)
                + String(repeating: " ", count: 11) + "?  " + HelpText.padded("?", to: 22)
            return columns + shownName + Self.remark(fault?.message)
        }
        var columns = letter + Mode.text(attributes.mode) + "  "
        columns += HelpText.padded(Self.className(attributes), to: 40)
        let size = kind == .file ? "\(attributes.size)" : "-"
        columns += String(repeating: " ", count: max(0, 12 - size.count)) + size
        columns += "  \(UTCTime.text(attributes.modificationTime.seconds))  \(shownName)"
        return columns + Self.remark(attributes.damage)
    }

    private static func remark(_ damage: String?) -> String {
        damage.map { "  (damaged: \($0))" } ?? ""
    }

    private static func className(_ attributes: ItemAttributes) -> String {
        guard let protectionClass = attributes.protectionClass else { return "-" }
        return attributes.isSealed ? "[\(protectionClass.name)]" : protectionClass.name
    }

    /// The entry as JSON.
    var json: JSONValue {
        var members: [(String, JSONValue)] = [
            ("name", .string(name)), ("kind", .string(kind.rawValue)),
        ]
        if let attributes { members += attributes.json }
        if let fault {
            let unknown = ["class", "sealed", "size", "mode", "modified"]
            members += unknown.map { ($0, .null) } + [("damage", .string(fault.message))]
        }
        return .object(members)
    }
}

extension ItemAttributes {
    /// Everything but the name and kind.
    var json: [(String, JSONValue)] {
        [
            ("class", .optional(protectionClass?.name)), ("sealed", .bool(isSealed)),
            ("size", .integer(size)), ("mode", .string("0" + String(mode, radix: 8))),
            ("modified", .string(UTCTime.text(modificationTime.seconds))),
            ("damage", .optional(damage)),
        ]
    }
}
