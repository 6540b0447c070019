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

    /// Lists a folder, or the one file that the path names.
    static func list(
        _ path: String, in volume: ProtectedVolume, detailed: Bool
    ) throws -> [Item] {
        let attributes = try volume.attributes(of: path)
        guard attributes.kind == .folder else {
            return [Item(name: lastName(of: path), kind: attributes.kind, attributes: attributes)]
        }
        return try volume.list(path).map { entry in
            let place = joined(path, entry.name)
            return Item(
                name: entry.name, kind: entry.kind,
                attributes: detailed ? try? volume.attributes(of: place) : nil)
        }
    }

    /// The name; on a terminal without anything that could control it.
    var shownName: String {
        let safe = Terminal.showsOutput ? Terminal.harmless(name) : name
        return kind == .folder ? safe + "/" : safe
    }

    /// The entry with its details, in columns.
    var longLine: String {
        guard let attributes else { return "?  \(shownName)" }
        let letter = ["file": "-", "folder": "d", "symlink": "l"][kind.rawValue] ?? "?"
        var columns = letter + Mode.text(attributes.mode) + "  "
        columns += HelpText.padded(Self.className(attributes), to: 40)
        let size = kind == .file ? "\(attributes.size)" : "-"
        columns += String(repeating: " ", count: max(0, 12 - size.count)) + size
        columns += "  \(UTCTime.text(attributes.modificationTime))  \(shownName)"
        return attributes.damage.map { "\(columns)  (damaged: \($0))" } ?? columns
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
        return .object(members)
    }
}

extension ItemAttributes {
    /// Everything but the name and kind.
    var json: [(String, JSONValue)] {
        [
            ("class", .optional(protectionClass?.name)), ("sealed", .bool(isSealed)),
            ("size", .integer(size)), ("mode", .string("0" + String(mode, radix: 8))),
            ("modified", .string(UTCTime.text(modificationTime))), ("damage", .optional(damage)),
        ]
    }
}

/// Permission bits for a reader.
enum Mode {
    /// Nine letters, as `ls -l` shows them.
    static func text(_ mode: UInt32) -> String {
        let letters = Array("rwxrwxrwx")
        return String(
            letters.indices.map { mode & (0o400 >> UInt32($0)) != 0 ? letters[$0] : "-" })
    }
}

/// Times for a reader.
enum UTCTime {
    /// Seconds since 1970 as `2026-01-31T12:00:00Z`.
    ///
    /// The date is counted in the years that begin in March, where the leap day is the last.
    static func text(_ seconds: Int64) -> String {
        let day = Int64((Double(seconds) / 86400).rounded(.down))
        let second = seconds - day * 86400
        let shifted = day + 719_468  // days since 1 March of year 0
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let calendarMonth = month < 10 ? month + 3 : month - 9
        let date = [
            two(year + era * 400 + (calendarMonth <= 2 ? 1 : 0)), two(calendarMonth),
            two(dayOfYear - (153 * month + 2) / 5 + 1),
        ]
        let time = [two(second / 3600), two(second / 60 % 60), two(second % 60)]
        return date.joined(separator: "-") + "T" + time.joined(separator: ":") + "Z"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
