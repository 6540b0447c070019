import Glibc

/// Puts a file on the host that is there whole or not at all.
enum HostReplacement {
    /// Where a file goes: inside, when the destination is a folder.
    ///
    /// - Throws: when something is there that is no regular file.
    static func path(for source: String, at destination: String) throws -> String {
        let isFolder = try HostNames.status(destination)?.isFolder ?? false
        let path = isFolder ? joined(destination, lastName(of: source)) : destination
        if let status = try HostNames.linkStatus(path), !status.isRegular {
            throw Failure(
                "\(path): it is not a regular file, so it is not overwritten",
                remedy: "remove it, or give another name")
        }
        return path
    }

    /// Writes a file beside its place, makes it durable and renames it.
    ///
    /// - Parameters:
    ///   - path: its place.
    ///   - mode: its permission bits at the end; until then nobody else can open it.
    ///   - fill: writes the content. When it throws, nothing is left.
    static func write(
        to path: String, mode: UInt32, fill: (HostFile) throws -> Void
    ) throws {
        let folder = folderPart(of: path)
        let temporary = joined(folder, ".seal-\(UInt64.random(in: 0 ... .max))")
        do {
            let file = try HostFile(
                opening: temporary, flags: O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o600)
            try fill(file)
            try file.setMode(mode)
            try file.synchronize()
            try HostNames.rename(temporary, to: path)
        } catch let error as HostFailure {
            HostNames.remove(temporary)
            // The name that the user knows, not that of the temporary file.
            throw HostFailure(code: error.code, place: path)
        } catch {
            HostNames.remove(temporary)
            throw error
        }
        try HostFile(opening: folder.isEmpty ? "." : folder, flags: O_RDONLY | O_DIRECTORY)
            .synchronize()
    }

    /// The path up to its last slash.
    private static func folderPart(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return String(path[...slash])
    }
}
