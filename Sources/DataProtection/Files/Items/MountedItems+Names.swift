extension MountedItems {
    func attributes(
        of path: String, followingLinks: Bool
    ) throws(ProtectionError) -> ItemAttributes {
        try at(path) { () throws(ProtectionError) in
            let place = try find(path, followingLinks: followingLinks)
            let host = try onHost { () throws(HostError) in
                if let name = place.name { return try place.folder.attributes(of: name) }
                return try store.root.attributes()
            }
            let hasClass = host.kind == .regular || host.kind == .folder
            var damage: String?
            if hasClass {
                do throws(HostError) {
                    _ = try PathAttributes.value(
                        of: MountWords.classAttribute, at: hostPath(place))
                } catch {
                    if error.code == HostError.inputOutput { damage = "it is damaged" }
                }
            }
            let hasSize = host.kind == .regular || host.kind == .symlink
            return ItemAttributes(
                host, size: hasSize ? host.byteCount : 0,
                protectionClass: hasClass ? recordedClass(place) : nil,
                isSealed: host.kind == .regular && isSealed(place), damage: damage)
        }
    }

    func setAttributes(
        _ change: AttributeChange, of path: String, followingLinks: Bool
    ) throws(ProtectionError) {
        try at(path) { () throws(ProtectionError) in
            let place = try find(path, followingLinks: followingLinks)
            let change = try change.checked()
            try onHost { () throws(HostError) in
                try place.folder.setAttributes(change, of: place.name)
            }
        }
    }

    func setProtectionClass(
        _ protectionClass: ProtectionClass?, of path: String
    ) throws(ProtectionError) {
        try at(path) { () throws(ProtectionError) in
            let place = try find(path, followingLinks: true)
            do throws(HostError) {
                guard let protectionClass else {
                    // What has none keeps having none.
                    guard recordedClass(place) != nil else { return }
                    return try PathAttributes.remove(
                        MountWords.classAttribute, at: hostPath(place))
                }
                try PathAttributes.set(
                    MountWords.classAttribute, to: Array(protectionClass.name.utf8),
                    at: hostPath(place))
            } catch {
                switch error.code {
                case HostError.notPermitted:
                    throw .sealedChange(to: protectionClass ?? .complete, .locked)
                case HostError.inputOutput: throw .damaged("it is damaged")
                default: throw ProtectionError(error)
                }
            }
        }
    }

    func copyUserAttributes(of source: String, to target: String) throws(ProtectionError) {
        // A file's are copied through its handle, as a sealed one cannot be opened here.
        guard let from = try? userAttributes(source) else { return }
        try at(target) { () throws(ProtectionError) in
            guard let to = try userAttributes(target) else { return }
            try onHost { () throws(HostError) in try from.copyOrdinary(to: to) }
        }
    }

    private func userAttributes(
        _ path: String
    ) throws(ProtectionError) -> (any BackingAttributes)? {
        let place = try find(path, followingLinks: false)
        guard let name = place.name else { return store.root.userAttributes }
        switch try kind(of: name, in: place.folder) {
        case .folder:
            return try onHost { () throws(HostError) in try place.folder.openFolder(name) }
                .userAttributes
        case .regular:
            return try onHost { () throws(HostError) in
                try place.folder.openFile(name, writable: false)
            }.userAttributes
        default: return nil
        }
    }

    func resolvingLinks(_ path: String) throws(ProtectionError) -> String {
        try at(path) { () throws(ProtectionError) in
            try find(path, followingLinks: true).names.joined(separator: "/")
        }
    }

    func list(_ path: String) throws(ProtectionError) -> [FolderEntry] {
        try at(path) { () throws(ProtectionError) in
            let folder = try folder(path)
            return try onHost { () throws(HostError) in try folder.list() }
                .map {
                    FolderEntry(
                        nameBytes: Array($0.name.utf8), kind: ItemKind($0.kind),
                        hasDamagedName: false, identity: $0.inode)
                }
                .sorted { $0.nameBytes.lexicographicallyPrecedes($1.nameBytes) }
        }
    }

    func makeFolder(
        _ path: String, class protectionClass: ProtectionClass?, mode: UInt32
    ) throws(ProtectionError) {
        try making(path) { folder, name throws(HostError) in
            guard let protectionClass, let host = folder as? FolderStoreFolder else {
                return try folder.makeFolder(name, mode: mode)
            }
            let request = MountWords.creationName(name, protectionClass)
            try host.makeFolder(name, asking: request, mode: mode)
        }
    }

    func makeSymbolicLink(_ path: String, target: String) throws(ProtectionError) {
        guard !target.isEmpty, !target.utf8.contains(0) else {
            throw ProtectionError.unusableTarget(byteCount: target.utf8.count).at(path)
        }
        try making(path) { folder, name throws(HostError) in
            try folder.makeSymlink(name, target: target)
        }
    }

    func makeNode(
        _ path: String, _ kind: ItemKind, mode: UInt32, deviceNumber: UInt64
    ) throws(ProtectionError) {
        try making(path) { folder, name throws(HostError) in
            try folder.makeNode(name, kind: kind.hostKind, mode: mode, device: deviceNumber)
        }
    }

    private func making(
        _ path: String, _ body: (any BackingFolder, String) throws(HostError) -> Void
    ) throws(ProtectionError) {
        try at(path) { () throws(ProtectionError) in
            let place = try find(path, followingLinks: false)
            guard let name = place.name else { throw .exists }
            // A name that is taken is told before anything that is asked for with it.
            if try kind(of: name, in: place.folder) != nil { throw .exists }
            try onHost { () throws(HostError) in try body(place.folder, name) }
        }
    }

    func symbolicLinkTarget(of path: String) throws(ProtectionError) -> String {
        try at(path) { () throws(ProtectionError) in
            let place = try find(path, followingLinks: false)
            guard let name = place.name else { throw .invalidArgument("it is no symbolic link") }
            let kind = try kind(of: name, in: place.folder)
            if kind == nil { throw .missing }
            guard kind == .symlink else { throw .invalidArgument("it is no symbolic link") }
            return try onHost { () throws(HostError) in try place.folder.readSymlink(name) }
        }
    }

    func link(_ path: String, to newPath: String) throws(ProtectionError) {
        try at(path) { () throws(ProtectionError) in
            let (from, to) = try pair(path, newPath)
            guard let name = from.name, let newName = to.name else { throw .folderLink }
            if try kind(of: name, in: from.folder) == .folder { throw .folderLink }
            try onHost { () throws(HostError) in
                try from.folder.makeLink(of: name, in: to.folder, as: newName)
            }
        }
    }

    func rename(_ path: String, to newPath: String, rule: RenameRule) throws(ProtectionError) {
        try at(path) { () throws(ProtectionError) in
            let (from, to) = try pair(path, newPath)
            guard let name = from.name, let newName = to.name else { throw .topFolderStays }
            do throws(HostError) {
                try from.folder.rename(name, to: to.folder, as: newName, rule: rule.hostRule)
            } catch {
                guard error.code == HostError.notPermitted, isSealed(from) || isSealed(to) else {
                    throw ProtectionError(error)
                }
                throw .sealed(recordedClass(to) ?? .complete, .locked)
            }
        }
    }

    private func pair(
        _ path: String, _ newPath: String
    ) throws(ProtectionError) -> (from: Place, to: Place) {
        (
            try find(path, followingLinks: false),
            try at(newPath) { () throws(ProtectionError) in
                try find(newPath, followingLinks: false)
            }
        )
    }

    func removeFile(_ path: String) throws(ProtectionError) {
        try removing(path) { folder, name throws(HostError) in try folder.removeFile(name) }
    }

    func removeFolder(_ path: String) throws(ProtectionError) {
        try removing(path) { folder, name throws(HostError) in try folder.removeFolder(name) }
    }

    private func removing(
        _ path: String, _ body: (any BackingFolder, String) throws(HostError) -> Void
    ) throws(ProtectionError) {
        try at(path) { () throws(ProtectionError) in
            let place = try find(path, followingLinks: false)
            guard let name = place.name else { throw .topFolderStays }
            try onHost { () throws(HostError) in try body(place.folder, name) }
        }
    }

    func synchronizeFolder(_ path: String) throws(ProtectionError) {
        try at(path) { () throws(ProtectionError) in
            let folder = try folder(path)
            try onHost { () throws(HostError) in try folder.sync() }
        }
    }
}
