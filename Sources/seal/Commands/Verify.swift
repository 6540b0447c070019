import DataProtection

extension Command {
    static let verify = Command(
        "verify", "read everything and say what is damaged",
        operands: [.volume],
        options: [VerifyOption.repair, .json] + Option.access,
        details: """
            Reads every page of every file and every name, and prints a line for each that is
            damaged, is sealed and so could not be verified, or was left behind by a crash. Ends
            with 0 when all is well, 3 when something is sealed, 5 when something is damaged.

            After --repair, when everything was verified and found whole, the volume counts as
            cleanly closed again.
            """,
        examples: ["seal verify vault", "seal verify vault --repair --passcode-file FILE"],
        run: runVerify)

    private static func runVerify(_ arguments: Arguments) throws {
        try VolumeAccess.with(arguments, asking: .always) { volume in
            let listing = VerifyListing(volume, isJSON: arguments.has(.json))
            let report: VerificationReport
            do {
                report = try volume.verify(repair: arguments.has(VerifyOption.repair)) {
                    listing.add($0)
                }
            } catch {
                throw listing.failure ?? error
            }
            if let failure = listing.failure { throw failure }
            if arguments.has(.json) { try Output.line(listing.json(report).text) }
            try conclude(report, arguments)
        }
    }

    private static func conclude(_ report: VerificationReport, _ arguments: Arguments) throws {
        let isRepair = arguments.has(VerifyOption.repair)
        Terminal.say(
            "\(report.wholeCount) whole, \(report.damagedCount) damaged, "
                + "\(report.sealedCount) sealed, \(report.leftoverCount) left by a crash"
                + (isRepair && report.leftoverCount > 0 ? " and removed" : ""))
        if report.damagedCount > 0 {
            Terminal.hint("restore what is damaged from a backup; it can still be removed")
        }
        if report.sealedCount > 0 {
            Terminal.hint("to verify what is sealed, give the passcode with --passcode-file FILE")
        }
        if report.leftoverCount > 0, !isRepair {
            let command = ShellWord.seal("verify", options: ["--repair"], [arguments.volumePath])
            Terminal.hint("to remove what a crash left: \(command)")
        }
        if report.damagedCount > 0 { throw Reported(exitCode: .damaged) }
        if report.sealedCount > 0 { throw Reported(exitCode: .sealed) }
    }
}

/// The option of `verify` alone.
enum VerifyOption {
    static let repair = Option("--repair", "remove what crashes left; count as cleanly closed")
}

/// What `verify` prints while it goes over a volume.
private final class VerifyListing {
    /// Why it was broken off; `nil` when it was not.
    private(set) var failure: (any Error)?
    private let volume: ProtectedVolume
    private let isJSON: Bool
    private var items: [JSONValue] = []

    init(_ volume: ProtectedVolume, isJSON: Bool) {
        self.volume = volume
        self.isJSON = isJSON
    }

    /// Takes note of what was found.
    func add(_ item: VerifiedItem) {
        do {
            try Interruption.check()
            let (finding, damage) = Self.words(item.finding)
            guard let finding else { return }
            guard !isJSON else {
                return items.append(
                    .object([
                        ("path", .string(item.path)), ("finding", .string(finding)),
                        ("damage", .optional(damage)),
                    ]))
            }
            let path = Terminal.showsOutput ? Terminal.harmless(item.path) : item.path
            let remark = damage.map { "  (\($0))" } ?? ""
            try Output.line(HelpText.padded(finding, to: 10) + path + remark)
        } catch {
            // A closed volume is what ends the verification.
            failure = failure ?? error
            try? volume.close()
        }
    }

    private static func words(_ finding: VerifiedItem.Finding) -> (String?, damage: String?) {
        switch finding {
        case .whole: (nil, nil)
        case .sealed: ("sealed", nil)
        case .leftover: ("leftover", nil)
        case .damaged(let what): ("damaged", what)
        }
    }

    /// Counts and items.
    func json(_ report: VerificationReport) -> JSONValue {
        .object([
            ("whole", .integer(Int64(report.wholeCount))),
            ("damaged", .integer(Int64(report.damagedCount))),
            ("sealed", .integer(Int64(report.sealedCount))),
            ("leftover", .integer(Int64(report.leftoverCount))),
            ("items", .array(items)),
        ])
    }
}
