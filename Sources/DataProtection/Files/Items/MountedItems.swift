/// The files of a volume that another process has mounted, by the paths of this machine.
///
/// Classes are the mount's extended attributes, and a file that is made with one is made under a
/// reserved name. Symbolic links are followed here, as the volume follows them: an absolute target
/// begins at the volume's top, which only this process knows.
final class MountedItems: VolumeItems {
    /// Where the volume is mounted.
    let path: String
    let store: FolderStore

    /// Looks at a mount.
    ///
    /// - Parameter path: the folder that the volume is mounted at.
    /// - Throws: `notSupported` when no volume is mounted there, `missing`, `notFolder`.
    init(path: String) throws(ProtectionError) {
        var path = path[...]
        while path.count > 1, path.hasSuffix("/") { path.removeLast() }
        self.path = String(path)
        store = try onHost { [path] () throws(HostError) in try FolderStore(path: String(path)) }
        guard (try? PathAttributes.value(of: MountWords.sealedAttribute, at: self.path)) != nil
        else { throw ProtectionError.noMount.at(self.path) }
    }

    /// A folder that was found, and a name in it.
    struct Place {
        let folder: any BackingFolder
        /// The path's names without links; empty for the top folder.
        let names: [String]
        /// `nil` for the top folder.
        var name: String? { names.last }
    }

    /// Finds a path, as far as its last name.
    ///
    /// - Throws: `missing`, `notFolder` for what is on the way; the last name may be free.
    func find(_ text: String, followingLinks: Bool) throws(ProtectionError) -> Place {
        var rest = Self.names(text)
        var way: [(name: String, folder: any BackingFolder)] = []
        var linkCount = 0
        while let name = rest.popLast() {
            if name == "." { continue }
            if name == ".." {
                _ = way.popLast()
                continue
            }
            let folder = way.last?.folder ?? store.root
            if rest.isEmpty, !followingLinks {
                return Place(folder: folder, names: way.map(\.name) + [name])
            }
            let kind = try kind(of: name, in: folder)
            if kind == .symlink {
                linkCount += 1
                guard linkCount <= 40 else { throw .symbolicLink }
                let target = try onHost { () throws(HostError) in try folder.readSymlink(name) }
                if target.hasPrefix("/") { way = [] }
                rest += Self.names(target)
            } else if rest.isEmpty {
                return Place(folder: folder, names: way.map(\.name) + [name])
            } else {
                guard kind != nil else { throw .missing }
                let below = try onHost { () throws(HostError) in try folder.openFolder(name) }
                way.append((name, below))
            }
        }
        guard let last = way.popLast() else { return Place(folder: store.root, names: []) }
        return Place(folder: way.last?.folder ?? store.root, names: way.map(\.name) + [last.name])
    }

    private static func names(_ text: String) -> [String] {
        text.utf8.split(separator: UInt8(ascii: "/")).reversed().map {
            String(decoding: $0, as: UTF8.self)
        }
    }

    /// What has a name; `nil` for nothing.
    func kind(
        of name: String, in folder: any BackingFolder
    ) throws(ProtectionError) -> HostKind? {
        do throws(HostError) {
            return try folder.attributes(of: name).kind
        } catch {
            guard error.code == HostError.noSuchEntry else { throw ProtectionError(error) }
            return nil
        }
    }

    /// The path of this machine.
    func hostPath(_ place: Place) -> String {
        place.names.isEmpty ? path : path + "/" + place.names.joined(separator: "/")
    }

    /// The class of a file, or what a folder gives; `nil` for neither.
    func recordedClass(_ place: Place) -> ProtectionClass? {
        let path = hostPath(place)
        let word = try? PathAttributes.value(of: MountWords.classAttribute, at: path)
        return word.flatMap(ProtectionClass.init(word:))
    }

    func isSealed(_ place: Place) -> Bool {
        let path = hostPath(place)
        let word = try? PathAttributes.value(of: MountWords.sealedAttribute, at: path)
        return word == Array("yes".utf8)
    }

    /// Says where something went wrong.
    func at<Result>(
        _ path: String, _ body: () throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result {
        do { return try body() } catch { throw error.at(path) }
    }

    /// Opens the folder that a path names.
    func folder(_ path: String) throws(ProtectionError) -> any BackingFolder {
        let place = try find(path, followingLinks: true)
        guard let name = place.name else { return store.root }
        return try onHost { () throws(HostError) in try place.folder.openFolder(name) }
    }

    func space() throws(ProtectionError) -> VolumeSpace {
        let space = try onHost { () throws(HostError) in try store.space() }
        return VolumeSpace(space)
    }

    var newFileClass: ProtectionClass? { nil }
}

extension ProtectionError {
    /// A folder is no mounted volume.
    static var noMount: ProtectionError {
        ProtectionError(
            .notSupported, "no volume is mounted here",
            remedy: "give the folder that it is mounted at: seal status")
    }
}
