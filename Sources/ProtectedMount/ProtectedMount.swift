public import DataProtection
internal import Glibc

/// A volume as a folder of this machine: any program's files, under the volume's classes.
///
///     let mount = try ProtectedMount(volume, at: "/home/ada/Vault")
///     await mount.waitUntilUnmounted()
///
/// `volume.lock()` and `unlock` are all that is needed to seal and open what programs see: open
/// files and mappings of class `complete` answer `EPERM` and `SIGBUS` from the moment `lock()`
/// returns, and work again after the unlock.
public final class ProtectedMount: Sendable {
    /// How a volume is mounted.
    public struct Options: Sendable, Hashable {
        /// Whether other users may enter; the permission bits then decide for them.
        public var allowOther = false
        /// Whether nothing can be changed through the mount.
        public var readOnly = false
        /// Whether set-user-ID bits and devices count, as tests of file systems need it.
        package var honoursSetUserAndDevices = false

        /// The defaults: for this user alone, readable and writable.
        public init() {}

        var text: String {
            var words = ["default_permissions", "fsname=seal", "subtype=seal"]
            words += honoursSetUserAndDevices ? ["suid", "dev"] : ["nosuid", "nodev"]
            if allowOther { words.append("allow_other") }
            if readOnly { words.append("ro") }
            return words.joined(separator: ",")
        }
    }

    /// Where the volume can be seen: a path without links.
    public let path: String
    /// What is seen there.
    public let volume: ProtectedVolume
    let session: FuseSession

    /// Mounts a volume, and serves it on threads of its own when this returns.
    ///
    /// The mount stays when the object goes, until `unmount()`, umount(8) or the process's end.
    /// - Parameters:
    ///   - volume: stays the caller's: it is locked, unlocked and closed there.
    ///   - path: an empty folder; what a process that died left mounted there is taken away first.
    ///   - options: for whom, and whether to read alone.
    /// - Throws: `busy` when something is mounted there, `exists` when the folder is not empty,
    ///   `missing`, `notFolder`, `forbidden`, `unsuitableHost` without FUSE.
    public init(
        _ volume: ProtectedVolume, at path: String, options: Options = Options()
    ) throws(ProtectionError) {
        self.volume = volume
        do throws(ProtectionError) {
            let resolved = try MountPoint.prepare(path, allowOther: options.allowOther)
            let descriptorCount = HostCalls.raiseDescriptorLimit()
            let server = try MountServer(volume, heldFolderCountMaximum: descriptorCount / 4)
            self.path = resolved
            session = try FuseSession(server, at: resolved, options: options.text)
        } catch {
            throw error.at(path)
        }
    }

    /// Whether the volume can still be seen there.
    public var isMounted: Bool { !session.isOver }

    /// Returns when the volume is not mounted any more, whoever ended it, and no program has
    /// anything open there: after `unmount(force: true)` it waits for the last file to be closed.
    public func waitUntilUnmounted() async { await session.waitUntilOver() }

    /// Takes the mount away; does nothing when it is gone.
    ///
    /// - Throws: `busy` while a program uses it; nothing has changed then.
    public func unmount() throws(ProtectionError) { try unmount(force: false) }

    /// Takes the mount away; does nothing when it is gone.
    ///
    /// - Parameter force: whether also while programs use it: the folder is empty at once, and what
    ///   is open goes on until it is closed. Whoever will not wait for that closes the volume;
    ///   what is open then fails.
    /// - Throws: `busy` while a program uses it, without `force`; nothing has changed then.
    public func unmount(force: Bool) throws(ProtectionError) {
        if session.isOver { return }
        switch force ? MountPoint.detach(path) : MountPoint.unmount(path) {
        case 0: break
        case EINVAL: return  // it was taken away by somebody else
        case EBUSY:
            throw ProtectionError.inUse(programs(using: nil).map(\.program)).at(path)
        case let code: throw ProtectionError.unmountFailed(code).at(path)
        }
        // The threads hear of it at once; whoever mounts there again must not meet them.
        var tries = 0
        while !force, !session.isOver, tries < 2000 {
            usleep(1000)
            tries += 1
        }
    }

    /// Which programs have files of class `complete` open or mapped.
    ///
    /// Only what this process may look at: other users' programs are seen by root alone.
    public func holders() -> [Holder] { programs(using: .complete) }
}
