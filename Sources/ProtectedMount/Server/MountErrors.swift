internal import DataProtection
internal import Glibc

// The sentences that only a mount says, with their remedies.

extension ProtectionError {
    static var reservedName: ProtectionError {
        ProtectionError(
            .invalidName, "names that begin with \(MountWords.creationPrefix) are reserved",
            remedy: "to make a file of a class, make .dataprotection:CLASS:NAME")
    }

    static var mountedAlready: ProtectionError {
        ProtectionError(
            .busy, "something is mounted there already",
            remedy: "unmount it first, or give another folder")
    }

    static var mountFolderNotEmpty: ProtectionError {
        ProtectionError(
            .exists, "the folder is not empty, and a mount would hide what is in it",
            remedy: "give a new or an empty folder")
    }

    static var mountFolderMissing: ProtectionError {
        ProtectionError(.missing, "there is no such folder", remedy: "make it first: mkdir")
    }

    static var mountFolderInVolume: ProtectionError {
        ProtectionError(
            .invalidArgument, "the folder is in the folder of a volume, among its ciphertext",
            remedy: "give a folder elsewhere")
    }

    static var noFuse: ProtectionError {
        ProtectionError(
            .unsuitableHost, "this machine has no /dev/fuse",
            remedy: "load it as root: modprobe fuse; in a container, let it use /dev/fuse")
    }

    static var fuseForbidden: ProtectionError {
        ProtectionError(
            .forbidden, "this user may not use /dev/fuse",
            remedy: "ask whoever keeps the machine for rights to it: ls -l /dev/fuse")
    }

    static var noMountHelper: ProtectionError {
        ProtectionError(
            .unsuitableHost, "fusermount3 is missing, without which only root can mount",
            remedy: "install it: apt-get install fuse3")
    }

    static var othersForbidden: ProtectionError {
        ProtectionError(
            .forbidden, "only root may let other users into a mount",
            remedy: "have root put the line user_allow_other into /etc/fuse.conf")
    }

    static func mountFailed(_ why: String) -> ProtectionError {
        ProtectionError(
            .forbidden, why.isEmpty ? "the kernel refused the mount" : "not mounted: \(why)",
            remedy: "give a folder that is yours and that you may write to")
    }

    static func noThreads() -> ProtectionError {
        ProtectionError(
            .host, "no thread can be started to serve the mount",
            remedy: "raise the limit (ulimit -u)")
    }

    static func inUse(_ programs: [String]) -> ProtectionError {
        let who = programs.isEmpty ? "a program uses" : programs.joined(separator: ", ") + " uses"
        return ProtectionError(
            .busy, "\(who) the mount", remedy: "end what uses it, or unmount by force")
    }

    static func unmountFailed(_ errorNumber: Int32) -> ProtectionError {
        ProtectionError(
            .host, "it cannot be unmounted (error \(errorNumber))",
            remedy: "try it as root: umount", errorNumber: errorNumber)
    }
}
