import Foundation
import Testing

/// Every file in Sessions is replayed. `SEAL_UPDATE_SESSIONS=1` writes down what happens instead.
@Suite struct SessionTests {
    static let names: [String] = {
        let folder = SessionShell.sourcePath + "/Sessions"
        let files = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
        return files.filter { $0.hasSuffix(".session") }.sorted()
    }()

    @Test func `there are sessions`() {
        #expect(Self.names.count > 8)
    }

    @Test(arguments: names)
    func `the session goes as it is written down`(name: String) throws {
        let path = SessionShell.sourcePath + "/Sessions/" + name
        var session = Session(text: try String(contentsOfFile: path, encoding: .utf8))
        if name.hasPrefix("root-"), getuid() != 0 {
            try Test.cancel("this session needs root")
        }
        if name.hasPrefix("fuse-"), !SessionShell.hasFuse {
            try Test.cancel("this session needs /dev/fuse")
        }
        for program in ["curl", "sqlite3"] where name.hasPrefix(program + "-") {
            if !FileManager.default.isExecutableFile(atPath: "/usr/bin/" + program) {
                try Test.cancel("this session needs \(program)")
            }
        }
        let isUpdate = ProcessInfo.processInfo.environment["SEAL_UPDATE_SESSIONS"] != nil
        let shell = try SessionShell()
        for (index, step) in session.steps.enumerated() {
            let (output, status) = try shell.run(step.command)
            if isUpdate {
                session.steps[index].output = output
                session.steps[index].status = status
            } else {
                let expected = step.output + "? \(step.status)"
                #expect(output + "? \(status)" == expected, "after: $ \(step.command)")
            }
        }
        if isUpdate { try session.text.write(toFile: path, atomically: true, encoding: .utf8) }
    }
}
