import DataProtection
import TestSupport

/// A volume that was closed cleanly, and what is in it.
struct TamperedVolume: Sendable {
    let image: MemoryImage
    let deviceKey = ProofVolume.open.deviceKey
    private(set) var contents: [String: [UInt8]] = [:]

    /// A file with a hole, about which less is promised.
    static let sparse = "sparse"
    private static let longName = String(repeating: "x", count: 220)

    static let sample = Result { try TamperedVolume() }

    private init() throws {
        let store = MemoryStore(ProofVolume.open.image)
        let volume = try ProtectedVolume.open(store, deviceKey: deviceKey)
        var generator = SeededGenerator(seed: 5)
        try volume.makeFolder("d", class: .complete)
        try volume.makeFolder("d/e")
        let sizes = [
            ("a", 10), ("b", 3540), ("c", 9000), ("d/a", 0), ("d/b", 9000), ("d/e/a", 13_000),
            (Self.longName, 300), ("d/" + Self.longName, 5000),
        ]
        for ((path, size), protectionClass) in zip(
            sizes, [ProtectionClass?](ProtectionClass.allCases) + [nil, nil, .complete, nil])
        {
            contents[path] = generator.bytes(size)
            try volume.write(contents[path]!, to: path, class: protectionClass)
        }
        let file = try volume.openFile(Self.sparse, [.readWrite, .create])
        try file.write([1, 2, 3], at: 100_000)
        file.close()
        contents[Self.sparse] = [UInt8](repeating: 0, count: 100_000) + [1, 2, 3]
        try volume.close()
        image = store.image()
    }

    /// What a look at a tampered image found.
    struct Verdict {
        var rightCount = 0
        var errors: [ProtectionError.Code: Int] = [:]
        /// Paths whose content was another, with what was read.
        var wrong: [String: [UInt8]] = [:]
        /// Names that were never given.
        var strangeNames: [String] = []
    }

    /// Opens a tampered image and reads every file there was, and lists every folder.
    func look(at image: MemoryImage, readsSparse: Bool = true) -> Verdict {
        var verdict = Verdict()
        let volume: ProtectedVolume
        do {
            volume = try ProtectedVolume.open(MemoryStore(image), deviceKey: deviceKey)
        } catch {
            verdict.errors[error.code, default: 0] += contents.count
            return verdict
        }
        for (path, content) in contents where readsSparse || path != Self.sparse {
            do {
                let found = try volume.read(path)
                if found == content { verdict.rightCount += 1 } else { verdict.wrong[path] = found }
            } catch {
                verdict.errors[error.code, default: 0] += 1
            }
        }
        let known = Set(contents.keys).union(["d", "d/e"])
        for folder in ["", "d", "d/e"] {
            for entry in (try? volume.list(folder)) ?? [] where !entry.hasDamagedName {
                let path = folder.isEmpty ? entry.name : "\(folder)/\(entry.name)"
                if !known.contains(path) { verdict.strangeNames.append(path) }
            }
        }
        return verdict
    }

    /// The inode of a host file that holds a file of this size on the host, in bytes.
    func inode(hostByteCount: Int64) -> UInt64 {
        image.nodes.values.first { $0.content.byteCount == hostByteCount }!.inode
    }
}
