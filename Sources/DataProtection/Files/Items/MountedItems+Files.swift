internal import Cryptography

extension MountedItems {
    func open(
        _ path: String, _ options: OpenOptions, class protectionClass: ProtectionClass?,
        mode: UInt32
    ) throws(ProtectionError) -> any OpenFile {
        try at(path) { () throws(ProtectionError) in
            let isNew = options.isSuperset(of: [.create, .exclusive])
            let follows = !isNew && !options.contains(.noFollow)
            let place = try find(path, followingLinks: follows)
            guard let name = place.name else { throw isNew ? .exists : .isFolder }
            let isThere = try kind(of: name, in: place.folder) != nil
            if isThere, isNew { throw .exists }
            if options.contains(.create), !isThere {
                return try create(place, options, protectionClass, mode)
            }
            return try openExisting(place, name, options)
        }
    }

    private func openExisting(
        _ place: Place, _ name: String, _ options: OpenOptions
    ) throws(ProtectionError) -> MountedFile {
        do throws(HostError) {
            let file = try place.folder.openFile(name, writable: options.contains(.write))
            return MountedFile(file, options, recordedClass(place))
        } catch {
            switch error.code {
            case HostError.notPermitted where isSealed(place):
                throw .sealed(recordedClass(place) ?? .complete, .locked)
            case HostError.inputOutput: throw .damaged("it is damaged")
            case HostError.symbolicLink: throw .symbolicLink
            default: throw ProtectionError(error)
            }
        }
    }

    /// Makes a file in a folder; a class is its own from the first moment on.
    func create(
        _ place: Place, _ options: OpenOptions, _ protectionClass: ProtectionClass?, _ mode: UInt32
    ) throws(ProtectionError) -> MountedFile {
        let name = place.name ?? ""
        let asked = protectionClass.map { MountWords.creationName(name, $0) } ?? name
        do throws(HostError) {
            return MountedFile(
                try place.folder.createFile(asked, mode: mode), options,
                protectionClass ?? recordedClass(place))
        } catch {
            guard error.code == HostError.notPermitted else { throw ProtectionError(error) }
            let parent = Place(folder: place.folder, names: place.names.dropLast())
            let refused = protectionClass ?? recordedClass(parent) ?? .complete
            throw .sealed(refused, .locked, creating: true)
        }
    }

    func replace(
        _ path: String, class protectionClass: ProtectionClass?, mode: UInt32?, rule: RenameRule,
        _ fill: (any OpenFile) throws(ProtectionError) -> Void
    ) throws(ProtectionError) -> ProtectionError? {
        try at(path) { () throws(ProtectionError) in
            let place = try find(path, followingLinks: rule != .exclusive)
            guard let name = place.name else { throw rule == .exclusive ? .exists : .isFolder }
            let present = try present(name, in: place.folder)
            if rule == .exclusive, present != nil { throw .exists }
            if present?.kind == .folder { throw .isFolder }
            // In the same folder, so that the volume's rules find the class that a new file gets.
            let temporary = ".new-" + Base64URL.encode(SecureRandom.bytes(9))
            let file = try create(
                Place(folder: place.folder, names: place.names.dropLast() + [temporary]),
                .readWrite, protectionClass, mode ?? present.map { $0.mode & 0o1777 } ?? 0o600)
            defer { file.close() }
            do throws(ProtectionError) {
                if present?.kind == .regular { keepAttributes(of: name, in: place.folder, file) }
                try fill(file)
            } catch {
                try? place.folder.removeFile(temporary)
                return error
            }
            do throws(ProtectionError) {
                try file.synchronize(everything: true)
                try move(temporary, onto: name, in: place.folder, rule)
            } catch {
                try? place.folder.removeFile(temporary)
                throw error
            }
            // The rules give what replaces a file the stronger class; who names one gets that.
            if let protectionClass, file.protectionClass != protectionClass {
                try file.setProtectionClass(protectionClass)
            }
            try onHost { () throws(HostError) in try place.folder.sync() }
            return nil
        }
    }

    private func present(
        _ name: String, in folder: any BackingFolder
    ) throws(ProtectionError) -> HostAttributes? {
        try kind(of: name, in: folder) == nil
            ? nil : onHost { () throws(HostError) in try folder.attributes(of: name) }
    }

    /// What is sealed or damaged must not keep a file from being saved.
    private func keepAttributes(
        of name: String, in folder: any BackingFolder, _ file: MountedFile
    ) {
        guard let old = try? folder.openFile(name, writable: false) else { return }
        try? MountedFile(old, .read, nil).copyUserAttributes(to: file)
    }

    private func move(
        _ temporary: String, onto name: String, in folder: any BackingFolder, _ rule: RenameRule
    ) throws(ProtectionError) {
        do throws(HostError) {
            try folder.rename(temporary, to: folder, as: name, rule: rule.hostRule)
        } catch {
            throw error.code == HostError.notPermitted
                ? .sealed(.complete, .locked) : ProtectionError(error)
        }
    }

    func temporaryPath(extension pathExtension: String) throws(ProtectionError) -> String {
        for folder in [ProtectedVolume.temporaryFolder, ProtectedVolume.temporaryItems] {
            do throws(ProtectionError) {
                try makeFolder(folder)
            } catch {
                guard error.code == .exists else { throw error }
            }
        }
        let name = Base64URL.encode(SecureRandom.bytes(12))
        let full = pathExtension.isEmpty ? name : name + "." + pathExtension
        // Room for the reserved name, too.
        return ProtectedVolume.temporaryItems + "/" + (full.utf8.count <= 128 ? full : name)
    }
}
