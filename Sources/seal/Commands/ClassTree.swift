import DataProtection

/// `class --recursive`: goes over a folder, and reports.
enum ClassTree {
    static func change(_ arguments: Arguments, _ change: ClassChange) throws {
        let isListing = change == ClassChange(.keep)
        try VolumeAccess.with(arguments, asking: isListing ? .never : .always) { volume in
            let path = arguments.operands[1]
            try volume.requireFolder(ifNamed: path)
            let listing = ClassListing(
                volume, isListing: isListing, isJSON: arguments.has(.json))
            let report: ClassChangeReport
            do {
                report = try volume.changeClasses(
                    in: path, change, progress: listing.add, writing: listing.work.add)
                listing.work.finish()
            } catch {
                listing.work.finish()
                throw listing.work.failure ?? error
            }
            if let failure = listing.work.failure { throw failure }
            if arguments.has(.json) {
                try Output.line(listing.json(report).text)
            } else if !isListing {
                try Output.text(table(report))
            }
            Terminal.say(conclusion(report, change))
            guard let first = listing.failures.first else { return }
            throw Reported(exitCode: Set(listing.failures).count == 1 ? first : .failed)
        }
    }

    /// How many files were and are of each class.
    private static func table(_ report: ClassChangeReport) -> String {
        let rows = ProtectionClass.allCases.map { each in
            row(each.name, "\(report.before[each] ?? 0)", "\(report.after[each] ?? 0)")
        }
        return ([row("class", "before", "after")] + rows).joined(separator: "\n") + "\n"
    }

    private static func row(_ name: String, _ before: String, _ after: String) -> String {
        let columns = [before, after].map { text in
            String(repeating: " ", count: max(0, 9 - text.count)) + text
        }
        return HelpText.padded(name, to: 37) + columns.joined()
    }

    private static func conclusion(_ report: ClassChangeReport, _ change: ClassChange) -> String {
        guard change != ClassChange(.keep) else {
            let counts = ProtectionClass.allCases.compactMap { each in
                report.before[each].map { "\($0) \(each.name)" }
            }
            let list = counts.isEmpty ? "no files" : counts.joined(separator: ", ")
            return list + (report.failedCount > 0 ? ", \(report.failedCount) do not tell" : "")
        }
        let verb = change.isReencrypting ? "written afresh" : "changed"
        var parts = ["\(Amount.of(report.changedFileCount, "file")) \(verb)"]
        if report.changedFolderCount > 0 {
            parts.append("\(Amount.of(report.changedFolderCount, "folder")) changed")
        }
        if report.unchangedCount > 0 { parts.append("\(report.unchangedCount) were so already") }
        if report.failedCount > 0 { parts.append("\(report.failedCount) could not be changed") }
        return parts.joined(separator: ", ")
    }
}

/// What `class --recursive` prints while it goes over a folder.
private final class ClassListing {
    /// How what could not be changed ends the program, each.
    private(set) var failures: [ExitCode] = []
    /// How far it is.
    let work: LongWork
    private let isListing: Bool
    private let isJSON: Bool
    private var items: [JSONValue] = []

    init(_ volume: ProtectedVolume, isListing: Bool, isJSON: Bool) {
        work = LongWork(volume)
        self.isListing = isListing
        self.isJSON = isJSON
    }

    /// Takes note of one file or folder.
    func add(_ item: ClassChangeItem) {
        work.entry {
            if case .failed(let error) = item.outcome {
                let failure = VolumeAccess.failure(error.at(item.path))
                failures.append(failure.exitCode)
                work.finish()
                Terminal.report(failure)
            }
            if isJSON {
                if isListing || item.outcome != .unchanged { items.append(Self.json(item)) }
            } else if isListing, item.outcome == .unchanged {
                let path = Terminal.showsOutput ? Terminal.harmless(item.path) : item.path
                let name = item.after?.name ?? "default"
                let isTop = item.path == "/"
                try work.line(
                    HelpText.padded(name, to: 38) + path + (item.isFolder && !isTop ? "/" : ""))
            }
        }
    }

    private static func json(_ item: ClassChangeItem) -> JSONValue {
        let (result, error): (String, String?) =
            switch item.outcome {
            case .unchanged: ("unchanged", nil)
            case .changed: ("changed", nil)
            case .failed(let error): ("failed", error.message)
            }
        return .object([
            ("path", .string(item.path)), ("kind", .string(item.isFolder ? "folder" : "file")),
            ("before", .optional(item.before?.name)), ("after", .optional(item.after?.name)),
            ("result", .string(result)), ("error", .optional(error)),
        ])
    }

    /// Counts and items.
    func json(_ report: ClassChangeReport) -> JSONValue {
        .object([
            ("changedFiles", .integer(Int64(report.changedFileCount))),
            ("changedFolders", .integer(Int64(report.changedFolderCount))),
            ("unchanged", .integer(Int64(report.unchangedCount))),
            ("failed", .integer(Int64(report.failedCount))),
            ("before", Self.counts(report.before)), ("after", Self.counts(report.after)),
            ("items", .array(items)),
        ])
    }

    private static func counts(_ counts: [ProtectionClass: Int]) -> JSONValue {
        .object(
            ProtectionClass.allCases.map { ($0.name, .integer(Int64(counts[$0] ?? 0))) })
    }
}
