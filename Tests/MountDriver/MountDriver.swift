import DataProtection
import Glibc
import ProtectedMount

/// A process that mounts a volume and does what it is told, a word a line: tests kill it, search
/// its memory, and let other programs loose on what it serves.
///
///     MountDriver HOST-FOLDER MOUNT-POINT [--class NAME] [--test-suites] [--others] [--read-only]
///                 [--locked] [--apple]
@main
enum MountDriver {
    static func main() async {
        do {
            try await run(Array(CommandLine.arguments.dropFirst()))
        } catch {
            say("error \(error)")
            exit(1)
        }
    }

    static let passcode = "1234"

    private static func run(_ words: [String]) async throws {
        guard words.count >= 2 else { return say("error two folders are needed") }
        let volume = try openVolume(words)
        var options = ProtectedMount.Options()
        options.allowOther = words.contains("--others") || words.contains("--test-suites")
        options.readOnly = words.contains("--read-only")
        options.honoursSetUserAndDevices = words.contains("--test-suites")
        let mount = try ProtectedMount(volume, at: words[1], options: options)
        say("ready")
        if words.contains("--serve") {
            await mount.waitUntilUnmounted()
        } else {
            try listen(mount)
        }
        try volume.close()
        say("closed")
    }

    private static func openVolume(_ words: [String]) throws -> ProtectedVolume {
        let device = try DeviceKey.loadOrCreate(at: words[0] + ".device-key")
        let isNew =
            access(words[0] + "/.keybag-1", F_OK) != 0
            && access(words[0] + "/.keybag-2", F_OK) != 0
        guard isNew else {
            let volume = try ProtectedVolume.open(at: words[0], deviceKey: device)
            if !words.contains("--locked") { try volume.unlock(passcode: Passcode(passcode)) }
            return volume
        }
        var configuration = VolumeConfiguration()
        configuration.passcodeCost = KeyDerivationCost(passCount: 1, memoryByteCount: 8192)
        if words.contains("--apple") { configuration.ruleSet = .apple }
        if let place = words.firstIndex(of: "--class"), place + 1 < words.count,
            let wanted = ProtectionClass.allCases.first(where: { $0.name == words[place + 1] })
        {
            configuration.defaultClass = wanted
        }
        return try ProtectedVolume.create(
            at: words[0], configuration: configuration, passcode: Passcode(passcode),
            deviceKey: device)
    }

    /// Follows orders until there are no more.
    private static func listen(_ mount: ProtectedMount) throws {
        while let line = readLine() {
            switch line {
            case "lock":
                let time = ContinuousClock().measure { mount.volume.lock() }
                say("locked \(time)")
            case "unlock":
                try mount.volume.unlock(passcode: Passcode(passcode))
                say("unlocked")
            case "holders":
                for holder in mount.holders() {
                    say("\(holder.process) \(holder.program) \(holder.paths)")
                }
                say("end")
            case "unmount", "force":
                do {
                    try mount.unmount(force: line == "force")
                    say("unmounted")
                } catch {
                    say("error \(error)")
                }
            default: say("error what is \(line)?")
            }
        }
        try? mount.unmount(force: true)
    }

    private static func say(_ line: String) {
        print(line)
        fflush(nil)
    }
}
