import Foundation
import SessionLock
import Testing

/// Private buses with stand-ins for what a desktop has on them; see desktop.py.
final class Desktop {
    /// The system's bus.
    let system: BusPlace
    /// The user's bus.
    let user: BusPlace
    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()

    /// Whether this machine has what the stand-ins are made with.
    static let isPossible: Bool = {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        process.arguments = ["-c", "import dbusmock, dbus.lowlevel"]
        process.standardError = FileHandle.nullDevice
        guard (try? process.run()) != nil else { return false }
        process.waitUntilExit()
        return process.terminationStatus == 0
            && FileManager.default.isExecutableFile(atPath: "/usr/bin/dbus-daemon")
    }()

    /// Starts buses with `login`, `lid` and `saver` on them, or some of these.
    init(_ parts: String...) throws {
        if !Self.isPossible { try Test.cancel("needs dbus-daemon and python3-dbusmock") }
        process.executableURL = URL(fileURLWithPath: "/usr/bin/python3")
        let script = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        process.arguments = [script.appending(path: "desktop.py").path] + parts
        process.standardInput = input
        process.standardOutput = output
        try process.run()
        system = .address(Self.line(output))
        user = .address(Self.line(output))
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Has something happen there.
    @discardableResult
    func make(_ words: String) throws -> String {
        try input.fileHandleForWriting.write(contentsOf: Data((words + "\n").utf8))
        return Self.line(output)
    }

    private static func line(_ pipe: Pipe) -> String {
        var line = Data()
        while let byte = try? pipe.fileHandleForReading.read(upToCount: 1), byte.count == 1,
            byte[0] != UInt8(ascii: "\n")
        { line += byte }
        return String(decoding: line, as: UTF8.self)
    }
}
