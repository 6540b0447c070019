import Foundation
import Glibc

/// A `CrashDriver` that runs, with its input and output.
final class DriverProcess {
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// The drivers are built beside the tests.
    static func path(of driver: String) -> String {
        let own =
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
        let folder = URL(fileURLWithPath: own).deletingLastPathComponent()
        return folder.appending(path: driver).path
    }

    var identifier: Int32 { process.processIdentifier }

    init(_ command: String, _ volume: String, _ deviceKey: String, _ rest: [String] = []) throws {
        process.executableURL = URL(fileURLWithPath: Self.path(of: "CrashDriver"))
        process.arguments = [command, volume, deviceKey] + rest
        // Lazy binding spills vector registers, with plaintext in them, onto the stack (ld.so(8)).
        process.environment = ProcessInfo.processInfo.environment.merging(
            ["LD_BIND_NOW": "1"]) { _, new in new }
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit { kill() }

    /// The next line of its output; `nil` when it has ended.
    func line() -> String? {
        var bytes: [UInt8] = []
        var byte: UInt8 = 0
        let descriptor = output.fileHandleForReading.fileDescriptor
        while read(descriptor, &byte, 1) == 1 {
            if byte == UInt8(ascii: "\n") { return String(decoding: bytes, as: UTF8.self) }
            bytes.append(byte)
        }
        return bytes.isEmpty ? nil : String(decoding: bytes, as: UTF8.self)
    }

    /// Sends text.
    func send(_ text: String) {
        let bytes = Array(text.utf8)
        _ = write(input.fileHandleForWriting.fileDescriptor, bytes, bytes.count)
    }

    /// Ends it as a power cut of one process would.
    func kill() {
        guard process.isRunning else { return }
        Glibc.kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
    }

    /// Runs a command to its end.
    ///
    /// - Returns: its last line.
    static func run(
        _ command: String, _ volume: String, _ deviceKey: String, _ rest: [String] = []
    ) throws -> String {
        let driver = try DriverProcess(command, volume, deviceKey, rest)
        var last = ""
        while let line = driver.line() { last = line }
        driver.process.waitUntilExit()
        return last
    }
}
