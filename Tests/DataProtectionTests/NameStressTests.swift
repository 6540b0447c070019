import DataProtection
import Foundation
import TestSupport
import Testing

/// Many threads on the same names, with locks and unlocks among them.
@Suite struct `Names under many hands` {
    private static let paths = ["a", "b", "c", "d/a", "d/b", "e/a", "d", "e", "f"]

    @Test(arguments: RigStore.allCases, [UInt64(1), 2])
    func `stay whole`(store: RigStore, seed: UInt64) async throws {
        let rig = try VolumeRig(store)
        let volume = rig.volume
        for folder in ["d", "e"] { try volume.makeFolder(folder, class: .complete) }
        let unexpected = await withTaskGroup(of: [String].self) { group in
            for hand in 0..<4 {
                group.addTask {
                    var generator = SeededGenerator(seed: seed &* 1000 &+ UInt64(hand))
                    var found: [String] = []
                    for _ in 0..<400 {
                        let deed = Deed(&generator)
                        do {
                            try deed.act(on: volume)
                        } catch let error as ProtectionError {
                            // Somebody was faster; nothing is ever damaged by that.
                            guard [.damaged, .host, .closed].contains(error.code) else { continue }
                            found.append("\(deed): \(error)")
                        } catch {
                            found.append("\(deed): \(error)")
                        }
                    }
                    return found
                }
            }
            group.addTask {
                for _ in 0..<20 {
                    volume.lock()
                    try? await Task.sleep(for: .milliseconds(1))
                    try? volume.unlock(passcode: Passcode(VolumeRig.passcode))
                    try? await Task.sleep(for: .milliseconds(2))
                }
                return []
            }
            return await group.reduce(into: []) { $0 += $1 }
        }
        #expect(unexpected == [], "seed \(seed)")
        try rig.reopen()
        let report = try rig.volume.verify()
        #expect(report.isWhole && report.leftoverCount == 0, "seed \(seed): \(report)")
        // Every name counts once for its file.
        var counts: [UInt64: (names: UInt64, links: UInt64)] = [:]
        var folders = [""]
        while let folder = folders.popLast() {
            for entry in try rig.volume.list(folder) {
                let path = folder + "/" + entry.name
                if entry.kind == .folder { folders.append(path) }
                guard entry.kind == .file else { continue }
                let found = try rig.volume.attributes(of: path)
                counts[found.identity, default: (0, found.linkCount)].names += 1
            }
        }
        #expect(counts.values.allSatisfy { $0.names == $0.links }, "seed \(seed)")
    }

    private enum Deed {
        case write(String, Int), read(String), link(String, String), symlink(String, String)
        case rename(String, String, RenameRule), remove(String), makeFolder(String)
        case removeFolder(String), mode(String, UInt32), note(String), list(String)
        case punch(String), protect(String, ProtectionClass)

        init(_ generator: inout SeededGenerator) {
            let one = paths.randomElement(using: &generator)!
            let other = paths.randomElement(using: &generator)!
            let rules: [RenameRule] = [.replace, .exclusive, .exchange]
            switch Int.random(in: 0..<16, using: &generator) {
            case 0, 1: self = .write(one, Int.random(in: 0..<9000, using: &generator))
            case 2, 3: self = .read(one)
            case 4: self = .link(one, other)
            case 5: self = .symlink(one, other)
            case 6, 7, 8: self = .rename(one, other, rules.randomElement(using: &generator)!)
            case 9: self = .remove(one)
            case 10: self = .makeFolder(one)
            case 11: self = .removeFolder(one)
            case 12: self = .mode(one, UInt32.random(in: 0...0o777, using: &generator) | 0o700)
            case 13: self = Bool.random(using: &generator) ? .note(one) : .list(one)
            case 14: self = .punch(one)
            default:
                self = .protect(one, ProtectionClass.allCases.randomElement(using: &generator)!)
            }
        }

        func act(on volume: ProtectedVolume) throws {
            switch self {
            case .write(let path, let count): try volume.write(pattern(count), to: path)
            case .read(let path): _ = try volume.read(path)
            case .link(let path, let other): try volume.link(path, to: other)
            case .symlink(let path, let other):
                try volume.makeSymbolicLink(path, target: "/" + other)
            case .rename(let path, let other, let rule):
                try volume.rename(path, to: other, rule: rule)
            case .remove(let path): try volume.removeFile(path)
            case .makeFolder(let path): try volume.makeFolder(path)
            case .removeFolder(let path): try volume.removeFolder(path)
            case .mode(let path, let mode):
                try volume.setAttributes(AttributeChange(mode: mode), of: path)
            case .note(let path): try volume.setUserAttribute("note", to: [1], of: path)
            case .list(let path): _ = try volume.list(path)
            case .punch(let path):
                try volume.openFile(path, .readWrite).punchHole(0..<100_000)
            case .protect(let path, let wanted): try volume.setProtectionClass(wanted, of: path)
            }
        }
    }
}
