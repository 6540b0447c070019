/// Walks through a folder, depth first, in the order of names. Symbolic links are not followed.
struct FileTree {
    /// One entry that the walk came to.
    struct Step {
        /// Its path inside the volume.
        let path: String
        /// Its name.
        let name: String
        /// What it is.
        let kind: ItemKind
        /// How deep it is: 1 for what is in the folder itself.
        let level: Int
        /// Whether it is a folder that was seen before and is now done with.
        let isLeaving: Bool
    }

    private struct Level {
        let folder: Step
        var entries: ArraySlice<FolderEntry>
    }

    private let volume: any VolumeItems
    private var levels: [Level] = []
    /// The folder that is listed next, unless it is skipped.
    private var next: Step?

    /// Begins a walk through the folder at a path; it is listed with the first step.
    init(_ path: String, in volume: any VolumeItems) {
        self.volume = volume
        next = Step(path: path, name: "", kind: .folder, level: 0, isLeaving: false)
    }

    /// Leaves out what is in the folder that was last seen.
    mutating func skipDescendants() { next = nil }

    /// The next entry; `nil` at the end.
    ///
    /// - Throws: why a folder cannot be listed. The walk goes on behind it.
    mutating func step() throws(ProtectionError) -> Step? {
        if let folder = next {
            next = nil
            let entries = try volume.list(folder.path)
            levels.append(Level(folder: folder, entries: entries[...]))
        }
        guard let last = levels.indices.last else { return nil }
        guard let entry = levels[last].entries.popFirst() else {
            let folder = levels.removeLast().folder
            // The folder itself, in which the walk began, is no step.
            guard folder.level > 0 else { return nil }
            return Step(
                path: folder.path, name: folder.name, kind: .folder, level: folder.level,
                isLeaving: true)
        }
        let folder = levels[last].folder
        let found = Step(
            path: folder.path.isEmpty ? entry.name : folder.path + "/" + entry.name,
            name: entry.name, kind: entry.kind, level: folder.level + 1, isLeaving: false)
        if entry.kind == .folder { next = found }
        return found
    }
}

extension VolumeItems {
    /// Removes a file, or a folder with everything in it. Allowed in every lock state.
    ///
    /// - Parameters:
    ///   - path: what is removed.
    ///   - changesModes: whether a folder whose mode forbids that is removed nevertheless.
    /// - Throws: `missing`, `forbidden`, `invalidArgument` for the top folder; `notEmpty` when
    ///   something was added meanwhile. What was removed before stays removed.
    func removeTree(_ path: String, changesModes: Bool = false) throws(ProtectionError) {
        guard !path.isEmpty else { throw .topFolderStays }
        do throws(ProtectionError) {
            return try removeFile(path)
        } catch {
            guard error.code == .isFolder else { throw error }
        }
        if changesModes { try setAttributes(AttributeChange(mode: 0o700), of: path) }
        var tree = FileTree(path, in: self)
        while let step = try tree.step() {
            if step.kind != .folder {
                try removeFile(step.path)
            } else if step.isLeaving {
                try removeFolder(step.path)
            } else if changesModes {
                try setAttributes(AttributeChange(mode: 0o700), of: step.path)
            }
        }
        try removeFolder(path)
    }

    /// Whether there is an entry of this name, of whatever kind and in whatever state.
    ///
    /// - Throws: when nobody can tell, as before the first unlock of a volume with private names.
    func hasItem(_ path: String, followingLinks: Bool = false) throws(ProtectionError) -> Bool {
        do throws(ProtectionError) {
            _ = try attributes(of: path, followingLinks: followingLinks)
            return true
        } catch {
            guard error.code == .missing || error.code == .notFolder else { throw error }
            return false
        }
    }
}

extension String {
    /// The path of the folder that an entry of a volume is in; empty for the top folder.
    var parentPath: String {
        utf8.lastIndex(of: UInt8(ascii: "/")).map { String(self[..<$0]) } ?? ""
    }
}
