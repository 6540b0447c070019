public import DataProtection

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

        /// The defaults: for this user alone, readable and writable.
        public init() {}
    }

    /// A program that uses files which a lock seals.
    public struct Holder: Sendable, Hashable {
        /// Its process number.
        public var process: Int32
        /// Its name, as the kernel has it.
        public var program: String
        /// The files, as paths of this machine.
        public var paths: [String]

        /// Describes a program.
        public init(process: Int32, program: String, paths: [String]) {
            self.process = process
            self.program = program
            self.paths = paths
        }
    }

    /// Where the volume can be seen.
    public let path: String
    /// What is seen there.
    public let volume: ProtectedVolume

    /// Mounts a volume, and serves it on threads of its own when this returns.
    ///
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
        self.path = path
        throw ProtectionError(.notSupported, "mounting is not there yet")
    }

    /// Returns when the volume is not mounted any more, whoever ended it.
    public func waitUntilUnmounted() async {}

    /// Takes the mount away.
    ///
    /// - Throws: `busy` while a program uses it; nothing has changed then.
    public func unmount() throws(ProtectionError) { try unmount(force: false) }

    /// Takes the mount away.
    ///
    /// - Parameter force: whether also while programs use it: the folder is empty at once, and what
    ///   is open goes on until it is closed.
    /// - Throws: `busy` while a program uses it, without `force`; nothing has changed then.
    public func unmount(force: Bool) throws(ProtectionError) {}

    /// Which programs have files of class `complete` open or mapped.
    ///
    /// Only what this process may look at: other users' programs are seen by root alone.
    public func holders() -> [Holder] { [] }
}
