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
        try removeDead(path)
        let code = HostCalls.folderError(path)
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
        if isInVolume(resolved) { throw .mountFolderInVolume }
        guard let names = HostCalls.names(in: resolved) else {
            throw .mountFailed("this user may not read the folder")
        }
        guard names.isEmpty else { throw .mountFolderNotEmpty }
        try requireFuse(allowOther: allowOther)
        // The helper refuses this too, in words of its own.
        guard HostCalls.isRoot || HostCalls.accessError(resolved) == 0 else {
            throw .mountFailed("this user may not write to the folder")
        }
        return resolved
    }

    /// Whether a folder is among a volume's ciphertext: what is there belongs to the engine alone.
    private static func isInVolume(_ path: String) -> Bool {
        var parts = path.split(separator: "/")
        while !parts.isEmpty {
            let folder = parts.map { "/" + $0 }.joined()
            if [".keybag-1", ".keybag-2"].contains(where: { HostCalls.isFile("\(folder)/\($0)") }) {
                return true
            }
            parts.removeLast()
        }
        return false
    }

    /// Takes away what nobody serves any more, as its process has died; once for each that is
    /// mounted on another.
    private static func removeDead(_ path: String) throws(ProtectionError) {
        for _ in 0..<16 where HostCalls.openingError(path) == ENOTCONN {
            let failure = detach(HostCalls.resolved(path) ?? path)
            guard failure == 0 else { throw .unmountFailed(failure) }
        }
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
        if allowOther, !letsOthersIn(HostCalls.contents(of: "/etc/fuse.conf") ?? []) {
            throw .othersForbidden
        }
    }

    /// Whether `/etc/fuse.conf` lets a user let others in, as the helper reads it.
    static func letsOthersIn(_ configuration: [UInt8]) -> Bool {
        configuration.split(separator: UInt8(ascii: "\n")).contains { line in
            let text = String(decoding: line.prefix { $0 != UInt8(ascii: "#") }, as: UTF8.self)
            return text.split { $0 == " " || $0 == "\t" || $0 == "\r" } == ["user_allow_other"]
        }
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
