import Cryptography
import DataProtection

/// Whatever the host does to its files, a read gives bytes that were written or an error.
enum HostFuzzing {
    static func run(_ input: inout ByteReader) throws {
        let choice = Int(input.byte())
        let sample = HostSample.all[choice & 3]
        var image = sample.image
        for _ in 0..<8 where !input.isEmpty { image.change(&input) }
        let store = MemoryStore(image)
        guard let volume = try open(store, sample, byRecovery: choice & 4 != 0) else { return }
        if choice & 8 != 0 { volume.lock() }
        try look(at: volume, sample)
        if choice & 16 != 0 { try use(volume, store, sample) }
        try? volume.close()
    }

    private static func open(
        _ store: MemoryStore, _ sample: HostSample, byRecovery: Bool
    ) throws -> ProtectedVolume? {
        do throws(ProtectionError) {
            if byRecovery {
                return try ProtectedVolume.open(store, recoveryKey: sample.recoveryKey)
            }
            let volume = try ProtectedVolume.open(store, deviceKey: sample.deviceKey)
            try volume.unlock(passcode: Passcode(HostSample.passcode))
            return volume
        } catch {
            let allowed: Set<ProtectionError.Code> = [
                .damaged, .notAVolume, .newerFormat, .deviceKey, .host, .wrongPasscode, .forbidden,
            ]
            try FuzzFault.unless(
                allowed.contains(error.code), "opening is refused as \(error.code)")
            return nil
        }
    }

    /// Lists every folder, looks at everything and reads every file.
    private static func look(at volume: ProtectedVolume, _ sample: HostSample) throws {
        var folders = [""]
        var visited = 0
        while let folder = folders.popLast(), visited < 100 {
            visited += 1
            for entry in (try? volume.list(folder)) ?? [] {
                let path = folder.isEmpty ? entry.name : "\(folder)/\(entry.name)"
                let isKnown = HostSample.names.contains(entry.name) || entry.name == "new"
                try FuzzFault.unless(isKnown || entry.hasDamagedName, "\(path) was never given")
                if entry.kind == .folder { folders.append(path) }
                try look(at: volume, path, entry.kind, sample)
            }
        }
    }

    private static func look(
        at volume: ProtectedVolume, _ path: String, _ kind: ItemKind, _ sample: HostSample
    ) throws {
        _ = try? volume.attributes(of: path)
        _ = try? volume.attributes(of: path, followingLinks: true)
        _ = try? volume.protectionClass(of: path)
        _ = try? volume.resolvingLinks(path)
        let value = (try? volume.userAttribute(HostSample.attribute.name, of: path)) ?? nil
        let names = (try? volume.userAttributeNames(of: path)) ?? []
        try FuzzFault.unless(
            (value == nil || value == HostSample.attribute.value)
                && names.allSatisfy { $0 == HostSample.attribute.name },
            "\(path) has an attribute that nobody set")
        if let target = try? volume.symbolicLinkTarget(of: path) {
            try FuzzFault.unless(target == HostSample.target, "\(path) leads to \(target)")
        }
        guard kind == .file, let file = try? volume.openFile(path) else { return }
        _ = try? file.nextData(from: 0)
        _ = try? file.nextHole(from: 0)
        guard let found = try? file.read(at: 0, count: Int(clamping: file.size)) else { return }
        try FuzzFault.unless(
            sample.mayHold(found), "\(path) has \(found.count) bytes that nobody wrote")
    }

    /// Goes on working: what is written now is there afterwards, and a repair breaks nothing.
    private static func use(
        _ volume: ProtectedVolume, _ store: MemoryStore, _ sample: HostSample
    ) throws {
        let content = [UInt8](repeating: 5, count: 5000)
        for entry in (try? volume.list()) ?? [] where entry.hasDamagedName {
            try? volume.removeFile(entry.name)
        }
        _ = try? volume.verify(repair: true) { _ in }
        let wasWritten = (try? volume.write(content, to: "new", class: ProtectionClass.none)) != nil
        try? volume.close()
        guard let again = try open(store, sample, byRecovery: false) else {
            return try FuzzFault.unless(!wasWritten, "a volume does not open a second time")
        }
        if wasWritten {
            try FuzzFault.unless(
                (try? again.read("new")) == content, "what was written is not there")
            try again.removeFile("new")
        }
        try look(at: again, sample)
        try? again.close()
    }
}
