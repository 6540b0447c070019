import Foundation
import TestSupport

/// A session with the command, as a person would see it: commands, what they print, how they end.
///
///     # A comment.
///     $ seal ls vault
///     > | sort
///     note.txt
///     ? 0
///
/// A command is run by `sh`; `> ` continues it. What it prints follows, standard output and
/// standard error together. `? N` is its exit status; without it, 0. What differs from run to run
/// is replaced by a name.
struct Session {
    /// One command and what came of it.
    struct Step: Equatable {
        /// Comments and empty lines before the command.
        var preface: [String] = []
        /// The command, its lines joined.
        var command = ""
        /// What it prints.
        var output = ""
        /// Its exit status.
        var status: Int32 = 0
    }

    /// The steps, in order.
    var steps: [Step] = []

    /// Reads a session.
    init(text: String) {
        var preface: [String] = []
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) {
            if line.hasPrefix("$ ") {
                steps.append(Step(preface: preface, command: String(line.dropFirst(2))))
                preface = []
            } else if line.hasPrefix("#") || steps.isEmpty || (!preface.isEmpty) {
                preface.append(line)
            } else if line.hasPrefix("> "), steps[steps.count - 1].output.isEmpty {
                steps[steps.count - 1].command += "\n" + line.dropFirst(2)
            } else if line.hasPrefix("? "), let status = Int32(line.dropFirst(2)) {
                steps[steps.count - 1].status = status
            } else {
                steps[steps.count - 1].output += line + "\n"
            }
        }
        for index in steps.indices { steps[index].output = Self.trimmed(steps[index].output) }
    }

    /// The session as a file holds it.
    var text: String {
        var text = ""
        for step in steps {
            let preface = step.preface.reversed().drop { $0.isEmpty }.reversed()
            for line in preface { text += line + "\n" }
            text += "$ " + step.command.replacingOccurrences(of: "\n", with: "\n> ") + "\n"
            text += step.output
            if step.status != 0 { text += "? \(step.status)\n" }
            text += "\n"
        }
        return String(text.dropLast())
    }

    /// Output without empty lines at its end.
    static func trimmed(_ output: String) -> String {
        var output = output[...]
        while output.hasSuffix("\n\n") || output == "\n" { output.removeLast() }
        return String(output)
    }
}

/// Runs commands in a folder of their own, with the built command in the path.
struct SessionShell {
    private let folder: ScratchFolder

    /// The built command, beside the tests.
    static let productsPath = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
        .deletingLastPathComponent().path

    /// Where the tests' own files are.
    static let sourcePath = URL(fileURLWithPath: #filePath).deletingLastPathComponent().path

    /// Whether this process may mount.
    static let hasFuse = access("/dev/fuse", R_OK | W_OK) == 0

    init() throws { folder = try ScratchFolder() }

    /// Runs a command.
    ///
    /// - Returns: what it prints, with names for what differs from run to run, and its status.
    func run(_ command: String) throws -> (output: String, status: Int32) {
        let (data, status) = try runRaw(command)
        return (Session.trimmed(normalized(String(decoding: data, as: UTF8.self))), status)
    }

    /// Runs a command.
    func runRaw(_ command: String) throws -> (output: Data, status: Int32) {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/bin/sh")
        process.arguments = ["-c", command]
        process.currentDirectoryURL = URL(fileURLWithPath: folder.path)
        process.environment = [
            "PATH": "\(Self.productsPath):\(Self.sourcePath)/Tools:/usr/sbin:/usr/bin:/sbin:/bin",
            "HOME": folder.path, "LC_ALL": "C", "SWIFT_BACKTRACE": "enable=no",
        ]
        let pipe = Pipe()
        process.standardInput = FileHandle.nullDevice
        process.standardOutput = pipe
        process.standardError = pipe
        try process.run()
        let data = pipe.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        let isSignal = process.terminationReason == .uncaughtSignal
        return (data, isSignal ? 128 + process.terminationStatus : process.terminationStatus)
    }

    private func normalized(_ output: String) -> String {
        let patterns = [
            (NSRegularExpression.escapedPattern(for: folder.path), "FOLDER"),
            ("[0-9a-f]{32}", "ID"), ("\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\dZ", "TIME"),
            ("([0-9A-Z]{4}-){8}[0-9A-Z]{4}", "RECOVERY-KEY"), ("process \\d+", "process NUMBER"),
            ("cipher           (aes|chacha)\n", "cipher           CIPHER\n"),
        ]
        return patterns.reduce(output) { text, pattern in
            text.replacingOccurrences(
                of: pattern.0, with: pattern.1, options: .regularExpression)
        }
    }
}
