import CommandFuzzing
import Foundation
import FuzzTargets
import TestSupport
import Testing

/// The inputs that fuzzing kept (Fuzz/Corpus), once more; scripts/fuzz.sh looks for new ones.
@Suite struct `What was fuzzed` {
    private static let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fuzz/Corpus")

    private static func inputs(_ target: String) throws -> [URL] {
        try FileManager.default.contentsOfDirectory(
            at: folder.appending(path: target), includingPropertiesForKeys: nil
        ).sorted { $0.path < $1.path }
    }

    @Test(arguments: FuzzTarget.allCases) func `still does what is right`(target: FuzzTarget) throws
    {
        let inputs = try Self.inputs(target.rawValue)
        #expect(inputs.count > 5)
        for input in inputs {
            let bytes = try Array(Data(contentsOf: input))
            do { try target.run(bytes) } catch {
                Issue.record("\(target.rawValue)/\(input.lastPathComponent): \(error)")
            }
        }
    }

    @Test(arguments: CommandFuzzing.allCases)
    func `still is understood or refused`(target: CommandFuzzing) throws {
        let inputs = try Self.inputs(target.rawValue)
        #expect(inputs.count > 5)
        for input in inputs {
            let bytes = try Array(Data(contentsOf: input))
            do { try target.run(bytes) } catch {
                Issue.record("\(target.rawValue)/\(input.lastPathComponent): \(error)")
            }
        }
    }
}
