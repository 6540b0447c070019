import Cryptography
import DataProtection

/// A small volume as the host holds it, and what is in it.
struct HostSample: Sendable {
    /// The host's files.
    let image: MemoryImage
    /// Whether the volume was closed.
    let isClean: Bool
    let deviceKey: DeviceKey
    let recoveryKey: RecoveryKey
    /// The content of every file.
    private(set) var contents: [[UInt8]] = []

    /// Every name that was given.
    static let names = [
        "a", "b", "c", "d", "e", "f", "sub", "deep", long, "sparse", "link", "second", "fifo",
    ]
    private static let long = String(repeating: "x", count: 200)
    /// Where the symbolic link leads, and the value of an attribute.
    static let target = "sub/e"
    static let attribute = (name: "tag", value: Array("red".utf8))

    /// The last of these files has a hole.
    static let sparseByteCount = 20_003
    static let passcode = "host"

    /// One that was closed and one that was not, with names that anybody can read and private
    /// ones.
    static let all: [HostSample] = [(true, false), (false, false), (true, true), (false, true)]
        .map { isClean, hasPrivateNames in
            do {
                return try HostSample(isClean: isClean, hasPrivateNames: hasPrivateNames)
            } catch {
                fatalError("\(error)")
            }
        }

    private init(isClean: Bool, hasPrivateNames: Bool) throws {
        self.isClean = isClean
        deviceKey = try DeviceKey.inMemory()
        let store = MemoryStore()
        let volume = try ProtectedVolume.create(
            in: store,
            configuration: VolumeConfiguration(
                cipher: hasPrivateNames ? .chacha : .aes,
                passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192),
                hasPrivateNames: hasPrivateNames),
            passcode: Passcode(Self.passcode), deviceKey: deviceKey)
        recoveryKey = try volume.makeRecoveryKey(passcode: Passcode(Self.passcode))
        try volume.makeFolder("sub", class: .complete)
        try volume.makeFolder("sub/deep")
        let files: [(String, Int, ProtectionClass?)] = [
            ("a", 10, .complete), ("b", 3540, .completeUnlessOpen), ("c", 9000, nil),
            ("d", 0, ProtectionClass.none), ("sub/e", 5000, nil), (Self.long, 300, nil),
            ("sub/deep/f", 7592, ProtectionClass.none), ("sub/\(Self.long)", 1, nil),
        ]
        for (number, (path, count, protectionClass)) in files.enumerated() {
            let content = (0..<count).map { UInt8(truncatingIfNeeded: $0 / 7 + number * 31) }
            try volume.write(content, to: path, class: protectionClass)
            contents.append(content)
        }
        let file = try volume.openFile("sparse", [.write, .create])
        try file.write([1, 2, 3], at: Int64(Self.sparseByteCount) - 3)
        file.close()
        contents.append([UInt8](repeating: 0, count: Self.sparseByteCount - 3) + [1, 2, 3])
        try volume.makeSymbolicLink("link", target: Self.target)
        try volume.link("c", to: "sub/second")
        try volume.makeNode("fifo", .fifo, mode: 0o600)
        for path in ["a", "sub"] {
            try volume.setUserAttribute(
                Self.attribute.name, to: Self.attribute.value, of: path)
        }
        try volume.setAttributes(AttributeChange(mode: 0o400), of: "b")
        if isClean { try volume.close() }
        image = store.image()
    }

    /// Whether a file may have this content, wherever it is found: files that exchange their names
    /// are not detected.
    func mayHold(_ found: [UInt8]) -> Bool {
        if contents.contains(found) || found.isEmpty && !isClean { return true }
        // A page of a sparse file that is zeros is a hole.
        let sparse = contents.last ?? []
        if found.count == sparse.count, zip(found, sparse).allSatisfy({ $0 == 0 || $0 == $1 }) {
            return true
        }
        guard !isClean else { return false }
        // A file that lost its end is cut after a page.
        let page = PageLayout.lastPage(forSize: Int64(found.count)) + 1
        guard PageLayout.payloadStart(ofPage: page) == Int64(found.count) else { return false }
        return contents.contains { content in
            found.count <= content.count && zip(found, content).allSatisfy { $0 == $1 }
        } || found.count <= sparse.count && zip(found, sparse).allSatisfy { $0 == 0 || $0 == $1 }
    }
}
