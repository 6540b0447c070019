import DataProtection
import ProtectedDatabase

/// `db check`.
enum DatabaseCheck {
    static func run(_ arguments: Arguments) throws {
        let path = arguments.operands[2]
        try DatabaseAccess.with(arguments, path) { volume in
            try DatabaseAccess.require(path, in: volume)
            let progress = PageProgress()
            let found = try DatabaseExamination(path, in: volume) { try progress.show($0) }
            var rescue: DatabaseRescue?
            if let new = arguments.value(DatabaseOption.recover) {
                rescue = try recover(path, as: new, in: volume, arguments)
            }
            progress.finish()
            if arguments.has(.json) {
                try Output.line(json(found, rescue, path).text)
            } else {
                for line in lines(found, rescue) {
                    try Output.line(Terminal.showsOutput ? Terminal.harmless(line) : line)
                }
            }
            guard !found.isWhole else { return }
            try tell(found, path, arguments)
        }
    }

    private static func tell(
        _ found: DatabaseExamination, _ path: String, _ arguments: Arguments
    ) throws {
        let count = found.damagedPages.count
        let pages = count == 1 ? "1 page is" : "\(count) pages are"
        let what = count == 0 ? "what is in its pages does not fit together" : "\(pages) damaged"
        let hasNew = arguments.value(DatabaseOption.recover) != nil
        let remedy = arguments.databaseCommand("check", path, options: ["--recover", "NEW"])
        throw Failure(
            "\(path): \(what)",
            remedy: hasNew
                ? "" : "restore it from a backup, or carry over what can be read: \(remedy)",
            exitCode: .damaged)
    }

    /// Carries what can be read into a new database, which is there whole or not at all.
    private static func recover(
        _ path: String, as new: String, in volume: ProtectedVolume, _ arguments: Arguments
    ) throws -> DatabaseRescue? {
        let place = try volume.place(for: path, at: new, arguments)
        if try volume.kindIfPresent(of: place) != nil {
            throw Failure("\(place): it is there already", remedy: "give another name")
        }
        let source = try DatabaseAccess.open(path, in: volume)
        defer { try? source.close() }
        let attributes = try volume.attributes(of: path, followingLinks: true)
        var rescue: DatabaseRescue?
        try volume.replaceFile(
            place, class: attributes.protectionClass, mode: attributes.mode, rule: .exclusive
        ) { file in
            try volume.withTemporaryDatabase(class: file.protectionClass) { copy in
                rescue = try DatabaseRescue(from: source, into: copy) {
                    try Interruption.check()
                }
                var offset: Int64 = 0
                try copy.readFile { chunk in
                    try file.write(chunk, at: offset)
                    offset += Int64(chunk.count)
                }
            }
            try volume.settleDatabase(place)
        }
        return rescue
    }

    private static func lines(
        _ found: DatabaseExamination, _ rescue: DatabaseRescue?
    ) -> [String] {
        var lines = found.damagedPages.map { page in
            HelpText.padded("damaged", to: 11) + "page \(page.number)  (\(page.owner ?? unknown))"
        }
        lines += found.faults.map { HelpText.padded("damaged", to: 11) + $0 }
        if found.isWhole {
            let size = "\(found.pageCount) pages of \(found.pageByteCount) bytes"
            lines.append(HelpText.padded("whole", to: 11) + size)
        }
        guard let rescue else { return lines }
        for table in rescue.tables {
            let rows = table.rowCount == 1 ? "1 row" : "\(table.rowCount) rows"
            let word = table.damage == nil ? "recovered" : "partly"
            let rest = table.damage.map { "  (\($0))" } ?? ""
            lines.append(HelpText.padded(word, to: 11) + "table \(table.name): \(rows)\(rest)")
        }
        return lines + rescue.lost.map { HelpText.padded("lost", to: 11) + $0 }
    }

    private static let unknown = "free, or below a page that is damaged"

    private static func json(
        _ found: DatabaseExamination, _ rescue: DatabaseRescue?, _ path: String
    ) -> JSONValue {
        let pages = found.damagedPages.map { page in
            JSONValue.object([("page", .integer(page.number)), ("of", .optional(page.owner))])
        }
        let tables = rescue?.tables.map { table in
            JSONValue.object([
                ("name", .string(table.name)), ("rows", .integer(table.rowCount)),
                ("damage", .optional(table.damage)),
            ])
        }
        let recovered = tables.map { tables in
            JSONValue.object([
                ("tables", .array(tables)),
                ("lost", .array((rescue?.lost ?? []).map { .string($0) })),
            ])
        }
        return .object([
            ("path", .string(path)), ("pages", .integer(found.pageCount)),
            ("pageSize", .integer(Int64(found.pageByteCount))), ("damagedPages", .array(pages)),
            ("faults", .array(found.faults.map { .string($0) })),
            ("recovered", recovered ?? .null),
        ])
    }
}
