import Foundation

/// A program that is spoken with, a line at a time.
final class Conversation {
    private let program = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var rest: [UInt8] = []

    /// Starts it.
    init(_ words: [String]) throws {
        program.executableURL = URL(filePath: "/usr/bin/env")
        program.arguments = words
        program.standardInput = input
        program.standardOutput = output
        try program.run()
    }

    deinit { end() }

    /// Its process number.
    var process: Int32 { program.processIdentifier }

    /// What it says next; `nil` at the end.
    func line() -> String? {
        while true {
            if let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
                let line = String(decoding: rest[..<end], as: UTF8.self)
                rest.removeFirst(end + 1)
                return line
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return nil }
            rest += more
        }
    }

    /// Says a line to it.
    func say(_ line: String) {
        try? input.fileHandleForWriting.write(contentsOf: Data((line + "\n").utf8))
    }

    /// Kills it.
    func end() {
        guard program.isRunning else { return }
        kill(program.processIdentifier, SIGKILL)
        program.waitUntilExit()
    }
}
