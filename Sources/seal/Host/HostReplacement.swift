import Glibc

/// Puts a file on the host that is there whole or not at all.
enum HostReplacement {
    /// Where a file goes: inside, when the destination is a folder.
    ///
    /// - Parameter volume: the volume's folder, where nothing may appear that is not encrypted.
    /// - Throws: when something is there that is no regular file.
    static func path(
        for source: String, at destination: String, outside volume: String
    ) throws -> String {
        let isFolder = try HostNames.status(destination)?.isFolder ?? false
        let path = isFolder ? joined(destination, lastName(of: source)) : destination
        guard !path.hasSuffix("/") else {
            throw Failure("\(path): no such folder", remedy: "mkdir \(ShellWord.quoted(path))")
        }
        guard try !HostPath.isInside(path, volume) else {
            throw Failure(
                "\(path): it would be unencrypted in the volume's own folder",
                remedy: "give a place outside \(volume)")
        }
        if let status = try HostNames.linkStatus(path), !status.isRegular {
            throw Failure(
                "\(path): it is not a regular file, so it is not overwritten",
                remedy: "remove it, or give another name")
        }
        return path
    }

    /// Writes a file without a name, makes it durable and gives it its name. Where the host has no
    /// files without names, it is one beside its place that is renamed.
    ///
    /// - Parameters:
    ///   - path: its place.
    ///   - mode: its permission bits at the end; until then nobody else can open it.
    ///   - replacing: whether what has the name may be replaced.
    ///   - fill: writes the content. When it throws, nothing is left.
    static func write(
        to path: String, mode: UInt32, replacing: Bool = true, fill: (HostFile) throws -> Void
    ) throws {
        let part = HostPath.folderPart(of: path)
        let folder = part.isEmpty ? "." : part
        let temporary = joined(part, ".seal-\(UInt64.random(in: 0 ... .max))")
        Interruption.hold()
        do {
            if let file = try HostNames.unnamedFile(in: folder) {
                try complete(file, mode: mode, fill)
                if try !HostNames.link(file, to: path) {
                    guard replacing else { throw isThere(path) }
                    // Only a rename replaces what is there.
                    _ = try HostNames.link(file, to: temporary)
                    try HostNames.rename(temporary, to: path)
                }
            } else {
                let flags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW
                let file = try HostFile(opening: temporary, flags: flags, mode: 0o600)
                try complete(file, mode: mode, fill)
                try HostNames.rename(temporary, to: path)
            }
        } catch {
            HostNames.remove(temporary)
            guard let failure = error as? HostFailure, failure.code != EINTR else { throw error }
            // The name that the user knows, not that of the temporary file.
            throw HostFailure(code: failure.code, place: path)
        }
        try HostFile(opening: folder, flags: O_RDONLY | O_DIRECTORY).synchronize()
    }

    /// What has the name is not to be replaced.
    static func isThere(_ path: String) -> Failure {
        Failure("\(path): it is there already", remedy: "give --force to overwrite it")
    }

    private static func complete(
        _ file: HostFile, mode: UInt32, _ fill: (HostFile) throws -> Void
    ) throws {
        try fill(file)
        try file.setMode(mode)
        try file.synchronize()
    }
}
