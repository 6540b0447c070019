import DataProtection
import Glibc

/// Files of 4096-byte blocks, and what is left of them after a power cut.
struct Blocks {
    private let place: Place
    private static let byteCount = 4096

    init(_ place: Place) { self.place = place }

    /// A block's content: 32 bytes that follow from its name, over and over.
    static func block(_ tag: String, _ number: Int) -> [UInt8] {
        var state: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in "\(tag)\(number)".utf8 { state = (state ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let bytes = (0..<32).map { _ -> UInt8 in
            state ^= state << 13
            state ^= state >> 7
            state ^= state << 17
            return UInt8(truncatingIfNeeded: state >> 32)
        }
        return (0..<byteCount / 32).flatMap { _ in bytes }
    }

    /// Writes a file of so many old blocks, durably.
    func fill(blockCount: Int) throws(ProtectionError) {
        let (volume, _) = try place.open()
        try volume.makeFolder("keep")
        try volume.write([1], to: "keep/x")
        try volume.write((0..<blockCount).flatMap { Self.block("old", $0) }, to: "f")
        try volume.close()
        print("done")
    }

    /// Writes new blocks in place, syncs nothing, and waits to be killed.
    func overwrite(_ blocks: [Int]) throws(ProtectionError) {
        let (volume, _) = try place.open()
        let file = try volume.openFile("f", .readWrite)
        for block in blocks {
            try file.write(Self.block("new", block), at: Int64(block * Self.byteCount))
        }
        Talk.stop(at: "done")
    }

    /// Makes files of three blocks, syncs every second one and the folder, and waits to be killed.
    func makeFiles(count: Int) throws(ProtectionError) {
        let (volume, _) = try place.open()
        for number in 0..<count {
            let file = try volume.openFile("n\(number)", [.readWrite, .create])
            for block in 0..<3 { try file.append(Self.block("c\(number) ", block)) }
            if number % 2 == 0 { try file.synchronize() }
            file.close()
        }
        try volume.synchronizeFolder()
        Talk.stop(at: "done")
    }

    /// Makes a folder, syncs the one it is in, and waits to be killed.
    func makeFolder(_ name: String) throws(ProtectionError) {
        let (volume, _) = try place.open()
        try volume.makeFolder(name)
        try volume.synchronizeFolder()
        Talk.stop(at: "done")
    }
}

// MARK: - After the cut

extension Blocks {
    /// Counts blocks that are old, new, mixed (each byte old or new), garbage, or unreadable.
    func check() throws(ProtectionError) {
        let (volume, _) = try place.open()
        let file = try volume.openFile("f", .read)
        var counts = ["old": 0, "new": 0, "mixed": 0, "garbage": 0, "err": 0]
        for number in 0..<Int(file.size) / Self.byteCount {
            let old = Self.block("old", number)
            let new = Self.block("new", number)
            let found = try? file.read(at: Int64(number * Self.byteCount), count: Self.byteCount)
            let kind: String
            switch found {
            case nil: kind = "err"
            case old: kind = "old"
            case new: kind = "new"
            case .some(let found):
                let isMixed = found.indices.allSatisfy {
                    found[$0] == old[$0] || found[$0] == new[$0]
                }
                kind = isMixed ? "mixed" : "garbage"
            }
            counts[kind]! += 1
        }
        counts["size"] = Int(file.size)
        report(counts)
    }

    /// Counts files that are whole, a beginning, empty, absent, or unreadable.
    func checkFiles(count: Int) throws(ProtectionError) {
        let (volume, _) = try place.open()
        var counts = [
            "synced_ok": 0, "synced_bad": 0, "unsynced_whole": 0, "unsynced_absent": 0,
            "unsynced_empty": 0, "unsynced_partial": 0, "unsynced_err": 0, "unsynced_garbage": 0,
            "undeletable": 0,
        ]
        for number in 0..<count {
            let wanted = (0..<3).flatMap { Self.block("c\(number) ", $0) }
            var kind: String
            do throws(ProtectionError) {
                let found = try volume.read("n\(number)")
                kind =
                    found == wanted ? "whole" : wanted.starts(with: found) ? "partial" : "garbage"
                if found.isEmpty { kind = "empty" }
            } catch {
                kind = error.code == .missing ? "absent" : "err"
            }
            if number % 2 == 0 {
                counts[kind == "whole" ? "synced_ok" : "synced_bad"]! += 1
            } else {
                counts["unsynced_\(kind)"]! += 1
            }
            if kind != "absent", (try? volume.removeFile("n\(number)")) == nil {
                counts["undeletable"]! += 1
            }
        }
        report(counts)
    }

    /// Says of each folder whether it can be listed and written.
    func checkFolders() throws(ProtectionError) {
        let (volume, _) = try place.open()
        var states: [String] = []
        for entry in try volume.list() where entry.kind == .folder {
            let isFine =
                (try? volume.list(entry.name)) != nil
                && (try? volume.write([2], to: entry.name + "/new")) != nil
            states.append("\"\(entry.name)\": \"\(isFine ? "fine" : "dead")\"")
        }
        print("{\(states.joined(separator: ", "))}")
    }

    private func report(_ counts: [String: Int]) {
        let pairs = counts.sorted { $0.key < $1.key }.map { "\"\($0.key)\": \($0.value)" }
        print("{\(pairs.joined(separator: ", "))}")
    }
}
