/// Where paths of the host lead.
enum HostPath {
    /// Whether a file that is made at a path comes to be in a folder, at any depth; through links
    /// and bind mounts too.
    static func isInside(_ path: String, _ folder: String) throws -> Bool {
        let place = resolved(folderPart(of: path))
        let target = resolved(folder)
        if (place + "/").hasPrefix(target + "/") { return true }
        guard let identity = try HostNames.status(folder)?.identity else { return false }
        var ancestor = ""
        for name in place.split(separator: "/") {
            ancestor += "/" + name
            guard let status = try HostNames.status(ancestor) else { return false }
            if status.identity == identity { return true }
        }
        return false
    }

    /// The volume in whose folder a place is, at any depth, through links too; `nil` for none.
    static func volume(around path: String) -> String? {
        var ancestor = resolved(path)
        while let slash = ancestor.lastIndex(of: "/") {
            ancestor = String(ancestor[..<slash])
            for name in [".keybag-1", ".keybag-2"] {
                // What cannot be looked at is no obstacle.
                guard let found = try? HostNames.linkStatus(ancestor + "/" + name) else { continue }
                if found.isRegular { return ancestor }
            }
        }
        return nil
    }

    /// A path without links; what does not exist yet is taken as it is written.
    private static func resolved(_ path: String) -> String {
        var existing = path
        var rest: [String] = []
        while true {
            let place = existing.isEmpty ? "." : existing
            if let found = HostNames.resolved(place) {
                return ([found == "/" ? "" : found] + rest).joined(separator: "/")
            }
            guard existing.contains(where: { $0 != "/" }), existing != "." else { return path }
            let name = lastName(of: existing)
            rest.insert(name, at: 0)
            while existing.hasSuffix("/") { existing.removeLast() }
            existing = folderPart(of: existing)
        }
    }

    /// The path up to its last slash.
    static func folderPart(of path: String) -> String {
        guard let slash = path.lastIndex(of: "/") else { return "" }
        return String(path[...slash])
    }
}
