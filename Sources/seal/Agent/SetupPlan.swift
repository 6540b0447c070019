import AgentControl
import DataProtection
import Glibc

/// Where everything of a setup is.
struct SetupPlan {
    /// The folder that is to be sealed.
    let folder: String
    /// Where the ciphertext goes.
    let volume: String
    /// The device key.
    let deviceKey: String
    /// Whether there is something to take over.
    let hasContent: Bool
    private let name: String

    init(_ arguments: Arguments) throws {
        folder = FolderCalls.realPath(arguments.operands[0])
        let parts = folder.split(separator: "/")
        guard let last = parts.last else { throw Failure("\(folder): it cannot be sealed") }
        name = String(last)
        let parent = parts.dropLast().map { "/" + $0 }.joined()
        volume = FolderCalls.realPath(
            arguments.value(SetupOption.volume) ?? "\(parent)/.\(last).sealed")
        deviceKey = FolderCalls.realPath(try DeviceKeyPath.path(arguments))
        hasContent = try TreeCopy.hasEntries(folder)
    }

    /// Where the volume is mounted while it is filled.
    var staging: String { folder + ".importing" }
    /// Where what was in the folder is kept.
    var aside: String { folder + ".unsealed" }

    /// How the volume is mounted somewhere.
    func launch(at place: String) -> AgentLaunch {
        AgentLaunch(volume: volume, folder: place, deviceKey: deviceKey)
    }

    /// Refuses what is there already, before anything is made.
    func requireFree() throws {
        if let left = try? MountedVolume(containing: staging).status(), left.folder == staging {
            throw Failure(
                "\(staging): an earlier setup was broken off while it copied",
                remedy: "end it: \(ShellWord.seal("unmount", options: ["--force"], [staging])); "
                    + "then remove it and \(left.volume), and begin again")
        }
        for path in [volume, staging, aside] where try HostNames.linkStatus(path) != nil {
            throw Failure("\(path): it is there already", remedy: "remove or rename it")
        }
        if let found = try HostNames.status(folder), !found.isFolder {
            throw Failure("\(folder): it is not a folder")
        }
        for path in [volume, deviceKey] where try HostPath.isInside(path, folder) {
            throw Failure("\(path): it would be in the folder that is to be sealed")
        }
        for mounted in try MountedVolume.all() {
            guard let status = try? mounted.status(), status.folder == folder else { continue }
            throw ProtectionError.folderTaken(folder, by: status.volume)
        }
    }

    /// Keeps what was in the folder beside it.
    func putAside() throws { try HostNames.rename(folder, to: aside) }

    /// Makes the empty folder that is mounted at.
    func makeFolder() throws {
        if try HostNames.status(folder) == nil { try TreeCopy.makeFolder(folder) }
    }

    /// Has systemd mount it at each login, where there is systemd.
    func enableUnit() {
        let unit = "seal@\(name).service"
        let isPlain = name.utf8.allSatisfy {
            ($0 | 0x20 >= 0x61 && $0 | 0x20 <= 0x7A) || (0x30...0x39).contains($0)
        }
        do {
            guard isPlain else { throw Failure("its name has more than letters and digits") }
            guard let home = try ProcessStart.environment("HOME"),
                try HostNames.status("/usr/bin/systemctl") != nil
            else { throw Failure("there is no systemd for the user") }
            let configuration = "VOLUME=\(volume)\nFOLDER=\(folder)\nOPTIONS=\n"
            _ = try TreeCopy.run("/bin/mkdir", ["-p", "\(home)/.config/seal"])
            let file = try HostFile(
                opening: "\(home)/.config/seal/\(name).conf", flags: O_WRONLY | O_CREAT | O_TRUNC,
                mode: 0o600)
            try file.writeAll(Array(configuration.utf8).span)
            _ = try TreeCopy.run("/usr/bin/systemctl", ["--user", "--quiet", "enable", unit])
        } catch {
            Terminal.note("it is not mounted at the next login: \(Failure(any: error).message)")
            Terminal.hint(
                "mount it with: " + ShellWord.seal("mount", [volume, folder]))
        }
    }
}
