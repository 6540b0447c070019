package import AgentControl
package import DataProtection
internal import ProtectedMount

/// What the agent needs of a mount.
package protocol MountDoor: Sendable {
    /// Returns when the volume is not mounted any more, whoever ended it.
    func waitUntilUnmounted() async
    /// Takes the mount away.
    ///
    /// - Throws: `busy` while a program uses it, without `force`.
    func unmount(force: Bool) throws(ProtectionError)
    /// Which programs have files of class `complete` open or mapped.
    func sealedFileHolders() -> [SealedFileHolder]
}

/// The mount of this machine.
struct FileSystemDoor: MountDoor {
    private let mount: ProtectedMount

    /// Mounts a volume.
    init(_ volume: ProtectedVolume, _ launch: AgentLaunch) throws(ProtectionError) {
        var options = ProtectedMount.Options()
        options.allowOther = launch.allowsOthers
        options.readOnly = launch.isReadOnly
        mount = try ProtectedMount(volume, at: launch.folder, options: options)
    }

    func waitUntilUnmounted() async { await mount.waitUntilUnmounted() }

    func unmount(force: Bool) throws(ProtectionError) { try mount.unmount(force: force) }

    func sealedFileHolders() -> [SealedFileHolder] {
        mount.holders().map {
            SealedFileHolder(process: $0.process, program: $0.program, paths: $0.paths)
        }
    }
}
