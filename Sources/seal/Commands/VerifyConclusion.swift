import DataProtection

/// What `verify` says at the end, in words.
struct VerifyConclusion {
    let report: VerificationReport
    let remedies: [String]
    let wasUnclean: Bool
    let isRepair: Bool
    let volumePath: String

    /// Says what was found and done, then what to do.
    ///
    /// - Throws: `Reported` when not all is well.
    func tell() throws {
        for sentence in sentences { Terminal.say(sentence) }
        for hint in hints { Terminal.hint(hint) }
        if report.damagedCount > 0 { throw Reported(exitCode: .damaged) }
        if report.sealedCount > 0 { throw Reported(exitCode: .sealed) }
        if report.unreadableCount > 0 { throw Reported(exitCode: .failed) }
    }

    private var sentences: [String] {
        var sentences = [verified]
        if report.repairedCount > 0 {
            sentences.append(
                "\(Amount.of(report.repairedCount, "file")) put in order after a crash")
        }
        if report.renewedCount > 0 {
            sentences.append("\(Amount.of(report.renewedCount, "record")) written anew")
        }
        if report.leftoverCount > 0 { sentences.append(leftovers) }
        if report.damagedCount > 0 {
            sentences.append("\(Amount.are(report.damagedCount, "thing")) damaged")
        }
        if report.lacksAllLinks {
            sentences.append("no folder has its record: this is a copy without symbolic links")
        }
        if report.unreadableCount > 0 {
            sentences.append(
                "\(Amount.are(report.unreadableCount, "thing")) not readable on the host")
        }
        if report.hasSealedNames {
            sentences.append(
                "files and folders cannot be verified: names are private until the first unlock")
        } else if report.sealedCount > 0 {
            sentences.append(
                "\(Amount.of(report.sealedCount, "file")) cannot be verified: "
                    + (report.sealedCount == 1 ? "it is sealed" : "they are sealed"))
        }
        if report.foreignCount > 0 {
            sentences.append(
                "\(Amount.are(report.foreignCount, "host file")) nothing of the volume's")
        }
        if isRepair, wasUnclean {
            sentences.append(
                report.endsClean
                    ? "the volume counts as closed cleanly again"
                    : "the volume still counts as not closed cleanly: not everything is whole")
        }
        return sentences
    }

    private var verified: String {
        let others =
            report.wholeCount + report.repairedCount - report.fileCount - report.folderCount
        var parts = [Amount.of(report.fileCount, "file")]
        if report.folderCount > 0 { parts.append(Amount.of(report.folderCount, "folder")) }
        // Links, devices, further names of a file.
        if others > 0 { parts.append(Amount.of(others, "other entry", "other entries")) }
        parts.append("\(Progress.amount(report.byteCount)) verified")
        return parts.joined(separator: ", ") + (report.isWhole ? ": all is whole" : "")
    }

    private var leftovers: String {
        let sentence = "\(Amount.of(report.leftoverCount, "leftover")) of interrupted calls"
        guard isRepair else { return sentence }
        return report.removedCount == report.leftoverCount
            ? "\(sentence) removed" : "\(sentence), \(report.removedCount) of them removed"
    }

    private var hints: [String] {
        var hints = remedies
        if report.sealedCount > 0 {
            hints.append(
                "to verify what is sealed, unlock and run it again: give the passcode with "
                    + "--passcode-file FILE")
        }
        if report.leftoverCount > 0, !isRepair {
            let command = ShellWord.seal("verify", options: ["--repair"], [volumePath])
            hints.append("to remove what interrupted calls left: \(command)")
        }
        return hints
    }
}

/// How many of something there are.
enum Amount {
    /// A number with its word: `1 file`, `2 files`.
    static func of(_ count: Int, _ one: String, _ many: String? = nil) -> String {
        "\(count) \(count == 1 ? one : many ?? "\(one)s")"
    }

    /// The same with a verb: `1 file is`, `2 files are`.
    static func are(_ count: Int, _ one: String) -> String {
        of(count, one) + (count == 1 ? " is" : " are")
    }
}
