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
final class FileSystemDoor: MountDoor {
    /// How long programs may go on with what they have open after a forced end.
    private static let patience = Duration.seconds(2)

    private let mount: ProtectedMount
    private let end = AsyncStream<Void>.makeStream()

    /// Mounts a volume.
    init(_ volume: ProtectedVolume, _ launch: AgentLaunch) throws(ProtectionError) {
        var options = ProtectedMount.Options()
        options.allowOther = launch.allowsOthers
        options.readOnly = launch.isReadOnly
        mount = try ProtectedMount(volume, at: launch.folder, options: options)
        Task { [mount, end] in
            await mount.waitUntilUnmounted()
            end.continuation.finish()
        }
    }

    func waitUntilUnmounted() async { for await _ in end.stream {} }

    func unmount(force: Bool) throws(ProtectionError) {
        try mount.unmount(force: force)
        guard force else { return }
        // The kernel keeps the mount for what is open, and a volume that was to be closed is not.
        Task { [end] in
            try? await Task.sleep(for: Self.patience)
            end.continuation.finish()
        }
    }

    func sealedFileHolders() -> [SealedFileHolder] {
        mount.holders().map {
            SealedFileHolder(process: $0.process, program: $0.program, paths: $0.paths)
        }
    }
}
