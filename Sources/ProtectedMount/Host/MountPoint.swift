internal import DataProtection
internal import Glibc

/// The folder that a volume is mounted on.
enum MountPoint {
    /// Makes sure that it can be mounted on, and says why not in one sentence.
    ///
    /// - Returns: its path without links.
    static func prepare(
        _ path: String, allowOther: Bool
    ) throws(ProtectionError) -> String {
        var code = HostCalls.folderError(path)
        if code == ENOTCONN {
            // The process that served it has died: nobody can use what is mounted there.
            let failure = detach(path)
            guard failure == 0 else { throw .unmountFailed(failure) }
            code = HostCalls.folderError(path)
        }
        switch code {
        case 0: break
        case ENOENT: throw .mountFolderMissing
        case ENOTDIR: throw .notFolder
        case EACCES, EPERM: throw .mountFailed("this user may not enter the folder")
        default:
            throw ProtectionError(
                .host, "the folder cannot be looked at (error \(code))", errorNumber: code)
        }
        guard let resolved = HostCalls.resolved(path) else { throw .mountFolderMissing }
        if isMounted(resolved) { throw .mountedAlready }
        guard let names = HostCalls.names(in: resolved) else {
            throw .mountFailed("this user may not read the folder")
        }
        guard names.isEmpty else { throw .mountFolderNotEmpty }
        try requireFuse(allowOther: allowOther)
        return resolved
    }

    private static func requireFuse(allowOther: Bool) throws(ProtectionError) {
        switch HostCalls.accessError("/dev/fuse") {
        case 0: break
        case ENOENT: throw .noFuse
        default: throw .fuseForbidden
        }
        guard !HostCalls.isRoot else { return }
        guard let status = HostCalls.run(["fusermount3", "--version"]), status == 0 else {
            throw .noMountHelper
        }
        let lines = HostCalls.contents(of: "/etc/fuse.conf") ?? []
        let isAllowed = lines.split(separator: UInt8(ascii: "\n")).contains {
            $0.starts(with: Array("user_allow_other".utf8))
        }
        if allowOther, !isAllowed { throw .othersForbidden }
    }

    /// Whether something is mounted on a path without links.
    static func isMounted(_ path: String) -> Bool {
        guard let table = HostCalls.contents(of: "/proc/self/mountinfo") else { return false }
        return table.split(separator: UInt8(ascii: "\n")).contains { line in
            let words = line.split(separator: UInt8(ascii: " "))
            return words.count > 4 && unescaped(words[4]) == Array(path.utf8)
        }
    }

    /// The kernel writes what would part words as `\040`.
    private static func unescaped(_ word: ArraySlice<UInt8>) -> [UInt8] {
        var bytes: [UInt8] = []
        var rest = word[...]
        while let byte = rest.popFirst() {
            let digits = rest.prefix(3)
            guard byte == UInt8(ascii: "\\"), digits.count == 3,
                let value = UInt8(String(decoding: digits, as: UTF8.self), radix: 8)
            else {
                bytes.append(byte)
                continue
            }
            bytes.append(value)
            rest = rest.dropFirst(3)
        }
        return bytes
    }

    /// Takes a mount away.
    ///
    /// - Returns: 0 or the error number.
    static func unmount(_ path: String) -> Int32 { unmount(path, isForced: false) }

    /// Takes a mount away while programs use it.
    ///
    /// - Returns: 0 or the error number.
    static func detach(_ path: String) -> Int32 { unmount(path, isForced: true) }

    private static func unmount(_ path: String, isForced: Bool) -> Int32 {
        let code = HostCalls.unmount(path, isForced: isForced)
        guard code == EPERM else { return code }
        let status = HostCalls.run(
            ["fusermount3", "-u"] + (isForced ? ["-z"] : []) + ["--", path])
        // The helper does not tell why; that it is in use is what happens to whoever may do it.
        return status == 0 ? 0 : EBUSY
    }
}
