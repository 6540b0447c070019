import FolderModel
import Foundation
import TestSupport
import Testing

/// Random operations on a volume and on a plain folder, with locks, closings and kills between.
@Suite struct `A volume beside a plain folder` {
    private static let environment = ProcessInfo.processInfo.environment
    /// `MODEL_OPERATIONS=10000000` for a long run; ModelDriver is faster, in release.
    private static let operationCount =
        environment["MODEL_OPERATIONS"].flatMap(Int.init) ?? 100_000
    private static let seed = environment["MODEL_SEED"].flatMap(UInt64.init) ?? 20_261_130
    private static let partCount = 4

    @Test(arguments: 0..<partCount) func `does what the folder does`(part: Int) throws {
        let scratch = try ScratchFolder()
        let seed = Self.seed &+ UInt64(part) &* 1_000_000
        let count = Self.operationCount / Self.partCount
        do {
            try ModelTrial(seed: seed, operationCount: count, folder: scratch.path).run()
        } catch {
            Issue.record("\(error)")
        }
        print("model: \(count) operations from seed \(seed), as user \(getuid())")
    }

    @Test(.enabled(if: getuid() == 0, "an ordinary user compares the two already"))
    func `does the same for an ordinary user`() throws {
        let scratch = try ScratchFolder()
        let nobody: UInt32 = 65534
        try #require(chown(scratch.path, nobody, nobody) == 0)
        // Where it was built nobody else may be able to look.
        let driver = scratch.path(of: "ModelDriver")
        try FileManager.default.copyItem(
            atPath: DriverProcess.path(of: "ModelDriver"), toPath: driver)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/setpriv")
        process.arguments = [
            "--reuid=\(nobody)", "--regid=\(nobody)", "--clear-groups", driver, "\(Self.seed)",
            "\(Self.operationCount / 5)", scratch.path,
        ]
        let output = Pipe()
        process.standardOutput = output
        try process.run()
        let text = String(
            decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        #expect(process.terminationStatus == 0, "\(text)")
        #expect(text.contains("as user \(nobody): no difference"), "\(text)")
        print("model: \(text)", terminator: "")
    }
}
