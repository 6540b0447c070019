import DataProtection

extension Command {
    static let verify = Command(
        "verify", "read everything and say what is damaged",
        operands: [.volume],
        options: [VerifyOption.repair, .json] + Option.access,
        details: """
            Verifies every page of every file, every name, folder record, kept mode, symbolic link
            and user attribute, both copies of the keybag and the marker; a file with several names
            once. Prints a line for each thing that is not whole, and at the end what was found and
            done. Ends with 0 when all is well, 5 when something is damaged, else 3 when something
            is sealed, else 1 when the host did not let something be read.

            Works without the passcode, and says what it could not see. A file that a crash left
            without its end is put in order and named. --repair also removes what interrupted calls
            left, and writes a lost copy of the keybag or the marker anew. When everything was
            verified and found whole, the volume then counts as closed cleanly again.
            """,
        examples: ["seal verify vault", "seal verify vault --repair --passcode-file FILE"],
        run: runVerify)

    private static func runVerify(_ arguments: Arguments) throws {
        try VolumeAccess.with(arguments, asking: .always) { volume in
            let listing = VerifyListing(volume, isJSON: arguments.has(.json))
            let report: VerificationReport
            do {
                report = try volume.verify(
                    repair: arguments.has(VerifyOption.repair), progress: listing.add,
                    reading: listing.work.add)
                listing.work.finish()
            } catch {
                listing.work.finish()
                throw listing.work.failure ?? error
            }
            if let failure = listing.work.failure { throw failure }
            if arguments.has(.json) { try Output.line(listing.json(report).text) }
            try VerifyConclusion(
                report: report, remedies: listing.remedies, wasUnclean: volume.wasUnclean,
                isRepair: arguments.has(VerifyOption.repair), volumePath: arguments.volumePath
            ).tell()
        }
    }
}

/// The option of `verify` alone.
enum VerifyOption {
    static let repair = Option("--repair", "remove leftovers, put in order what can be")
}

/// What `verify` prints while it goes over a volume.
private final class VerifyListing {
    /// How far it is.
    let work: LongWork
    /// What can be done about what was found, each once.
    private(set) var remedies: [String] = []
    private let isJSON: Bool
    private var items: [JSONValue] = []

    init(_ volume: ProtectedVolume, isJSON: Bool) {
        self.isJSON = isJSON
        // A first look at the host tells how much there is; nobody waits for it who sees nothing.
        work = LongWork(volume, extent: Terminal.showsErrors ? try? volume.hostExtent() : nil)
    }

    /// Takes note of what was found.
    func add(_ item: VerifiedItem) {
        work.entry {
            if !item.remedy.isEmpty, item.finding != .sealed, !remedies.contains(item.remedy) {
                remedies.append(item.remedy)
            }
            let (finding, text) = Self.words(item.finding)
            guard let finding else { return }
            guard !isJSON else {
                let isDamage = finding == "damaged"
                return items.append(
                    .object([
                        ("path", .string(item.path)), ("finding", .string(finding)),
                        ("damage", .optional(isDamage ? text : nil)), ("detail", .optional(text)),
                    ]))
            }
            let path = Terminal.showsOutput ? Terminal.harmless(item.path) : item.path
            let remark = text.map { "  (\($0))" } ?? ""
            try work.line(HelpText.padded(finding, to: 11) + path + remark)
        }
    }

    private static func words(_ finding: VerifiedItem.Finding) -> (String?, text: String?) {
        switch finding {
        case .whole: (nil, nil)
        case .repaired(let what): ("repaired", what)
        case .renewed(let what): ("renewed", what)
        case .sealed: ("sealed", nil)
        case .damaged(let what): ("damaged", what)
        case .unreadable(let why): ("unreadable", why)
        case .leftover(let isRemoved): ("leftover", isRemoved ? "removed" : nil)
        case .foreign(let what): ("foreign", what)
        }
    }

    /// Counts and items.
    func json(_ report: VerificationReport) -> JSONValue {
        let counts = [
            ("whole", report.wholeCount), ("damaged", report.damagedCount),
            ("sealed", report.sealedCount), ("leftover", report.leftoverCount),
            ("unreadable", report.unreadableCount), ("repaired", report.repairedCount),
            ("removed", report.removedCount), ("foreign", report.foreignCount),
            ("renewed", report.renewedCount), ("files", report.fileCount),
            ("folders", report.folderCount),
        ]
        return .object(
            counts.map { ($0, .integer(Int64($1))) } + [
                ("bytes", .integer(report.byteCount)), ("closesCleanly", .bool(report.endsClean)),
                ("items", .array(items)),
            ])
    }
}
