import DataProtection
import SimulatedDevice
import Testing

private let long = String(repeating: "l", count: 200)
private let other = String(repeating: "o", count: 255)

/// One change, all of whose cuts are tried: afterwards everything is as before or as after it.
struct OperationCut: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var prepare: @Sendable (ProtectedVolume) throws -> Void
    var change: @Sendable (ProtectedVolume) throws -> Void
    /// What may be there between, beside the state before and the one after; each line is one that
    /// `describe` makes.
    var between: [[String]] = []

    /// What a volume holds, a line for each entry.
    static func describe(_ volume: ProtectedVolume, _ folder: String = "") throws -> [String] {
        var lines: [String] = []
        for entry in try volume.list(folder) {
            let path = folder.isEmpty ? entry.name : folder + "/" + entry.name
            let found = try volume.attributes(of: path)
            var line = "\(path.prefix(3)) \(entry.kind) \(String(found.mode, radix: 8))"
            if entry.hasDamagedName || found.damage != nil { line += " damaged" }
            if let protectionClass = found.protectionClass { line += " \(protectionClass.name)" }
            if [.file, .folder].contains(entry.kind) {
                for name in try volume.userAttributeNames(of: path) {
                    line += " \(name)=\(try volume.userAttribute(name, of: path) ?? [])"
                }
            }
            if entry.kind == .file {
                let file = try volume.openFile(path)
                line += " \(found.linkCount) \(try Self.runs(file.read(at: 0, count: 1 << 20)))"
            }
            if entry.kind == .symlink { line += " \(try volume.symbolicLinkTarget(of: path))" }
            lines.append(line)
            if entry.kind == .folder { lines += try describe(volume, path) }
        }
        return lines
    }

    private static func runs(_ bytes: [UInt8]) -> String {
        var text = "\(bytes.count):"
        var last: UInt8?
        for (index, byte) in bytes.enumerated() where byte != last {
            text += " \(index)=\(byte)"
            last = byte
        }
        return text
    }
}

@Suite struct `A power cut in the middle of one change` {
    static let all = [
        OperationCut(
            testDescription: "chmod to a kept mode",
            prepare: { try $0.write([1], to: "a", mode: 0o640) },
            change: { try $0.setAttributes(AttributeChange(mode: 0o040), of: "a") }),
        OperationCut(
            testDescription: "chmod from a kept mode",
            prepare: { try $0.write([1], to: "a", mode: 0o040) },
            change: { try $0.setAttributes(AttributeChange(mode: 0o640), of: "a") }),
        OperationCut(
            testDescription: "chmod of a folder to a kept mode",
            prepare: {
                try $0.makeFolder("d", class: .complete, mode: 0o750)
                try $0.write([1], to: "d/a")
            },
            change: { try $0.setAttributes(AttributeChange(mode: 0o050), of: "d") }),
        OperationCut(
            testDescription: "chmod of a folder from a kept mode",
            prepare: {
                try $0.makeFolder("d", class: .complete, mode: 0o050)
                try $0.write([1], to: "d/a")
            },
            change: { try $0.setAttributes(AttributeChange(mode: 0o750), of: "d") }),
        OperationCut(
            testDescription: "exchange a long name and a short one",
            prepare: {
                try $0.write([1], to: long, class: .complete)
                try $0.write([2], to: "a", class: .complete)
            },
            change: { try $0.rename(long, to: "a", rule: .exchange) }),
        OperationCut(
            testDescription: "rename a long name over another",
            prepare: {
                try $0.write([1], to: long)
                try $0.write([2], to: other)
            },
            change: { try $0.rename(long, to: other) }),
        OperationCut(
            testDescription: "rename exclusively to a long name",
            prepare: { try $0.write([1], to: "a") },
            change: { try $0.rename("a", to: other, rule: .exclusive) }),
        OperationCut(
            testDescription: "link to a long name", prepare: { try $0.write([1], to: long) },
            change: { try $0.link(long, to: other) }),
        OperationCut(
            testDescription: "remove a long name of two",
            prepare: {
                try $0.write([1], to: long)
                try $0.link(long, to: other)
            },
            change: { try $0.removeFile(long) }),
        OperationCut(
            testDescription: "a symbolic link with a long name", prepare: { _ in },
            change: { try $0.makeSymbolicLink(long, target: "t") }),
        OperationCut(
            testDescription: "a folder over an empty one, both with long names",
            prepare: {
                try $0.makeFolder(long, class: .complete)
                try $0.makeFolder(other, class: ProtectionClass.none)
                try $0.write([1], to: long + "/a")
            },
            change: { try $0.rename(long, to: other) },
            // They change places first.
            between: [
                [
                    "lll folder 700 none", "ooo folder 700 complete",
                    "ooo file 600 complete 1 1: 0=1",
                ]
            ]),
        OperationCut(
            testDescription: "replace with mode and attributes",
            prepare: {
                try $0.write([1], to: "a", class: .complete, mode: 0o040)
                try $0.setUserAttribute("one", to: [1], of: "a")
                try $0.setUserAttribute("two", to: [2], of: "a")
            },
            change: { try $0.write([2, 2], to: "a") }),
        OperationCut(
            testDescription: "replace through a link",
            prepare: {
                try $0.makeFolder("d")
                try $0.write([1], to: "d/a", class: .complete, mode: 0o040)
                try $0.makeSymbolicLink("b", target: "d/a")
            },
            change: { try $0.write([2, 2], to: "b") }),
        OperationCut(
            testDescription: "punch whole pages",
            prepare: { try $0.write([UInt8](repeating: 7, count: 40_000), to: "a") },
            change: { try withFile($0) { try $0.punchHole(3540..<3540 + 4 * 4052) } }),
    ]

    private static func withFile(
        _ volume: ProtectedVolume, _ body: (ProtectedFile) throws -> Void
    ) throws {
        let file = try volume.openFile("a", .readWrite)
        defer { file.close() }
        try body(file)
    }

    @Test(arguments: all, [CommitRule.wholeJournal, .onlyTheSynced])
    func `leaves what was before or is after it`(_ trial: OperationCut, rule: CommitRule) throws {
        let device = ProofVolume.open.deviceKey
        let base = CrashingStore(ProofVolume.open.image)
        let volume = try ProtectedVolume.open(base, deviceKey: device)
        try trial.prepare(volume)
        let before = try OperationCut.describe(volume)
        try volume.close()
        let store = CrashingStore(base.live.image(), commitRule: rule)
        let changed = try ProtectedVolume.open(store, deviceKey: device)
        try trial.change(changed)
        let after = try OperationCut.describe(changed)
        #expect(before != after)
        let allowed = Set([before, after] + trial.between)
        for cut in 0...store.operationCount {
            let cuts = store.possibleCuts(afterOperation: cut)
            for number in 0..<min(cuts.count, 60) {
                let outcome: CutOutcome =
                    cuts.count <= 60 ? .numbered(number) : .random(seed: UInt64(number))
                let left = MemoryStore(cuts.image(outcome))
                let opened = try ProtectedVolume.open(left, deviceKey: device)
                let found = try OperationCut.describe(opened)
                #expect(allowed.contains(found), "cut \(cut), \(outcome): \(found)")
                let report = try opened.verify(repair: true)
                #expect(report.damagedCount == 0)
                #expect(try OperationCut.describe(opened) == found)
                try opened.close()
                let again = try ProtectedVolume.open(left, deviceKey: device)
                #expect(try OperationCut.describe(again) == found)
                #expect(try again.verify().leftoverCount == 0)
                try again.close()
            }
        }
        try changed.close()
    }
}
