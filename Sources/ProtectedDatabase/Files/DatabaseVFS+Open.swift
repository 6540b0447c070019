internal import DataProtection
internal import Synchronization

/// What SQLite asks for when it opens a file.
struct FileRequest {
    /// `nil` for a temporary file.
    var path: String?
    /// The database that a journal or a log belongs to.
    var database: String?
    var flags: FileFlags
    /// What `class=` in the database's name says.
    var className: String?
    /// Whether `cache=shared` is in the database's name.
    var sharesCache = false
}

extension DatabaseVFS {
    /// Opens a file.
    func open(_ request: FileRequest) throws(ProtectionError) -> OpenFile {
        let volume = try volume()
        let file: OpenFile
        switch (request.flags.role, request.path) {
        case (.database, .some(let path)): file = try openDatabase(path, request, volume)
        case (.temporary, _), (_, .none): file = try openTemporary(request, volume)
        case (_, .some(let path)): file = try openSideFile(path, request, volume)
        }
        // SQLite keeps pages itself.
        file.file.rememberPages()
        withState { $0.files[file.owner] = file }
        return file
    }

    private func openDatabase(
        _ path: String, _ request: FileRequest, _ volume: ProtectedVolume
    ) throws(ProtectionError) -> OpenFile {
        guard !request.sharesCache else { throw .sharedCacheRefused }
        var asked: ProtectionClass?
        if let name = request.className {
            guard let named = ProtectionClass(named: name) else {
                throw .unknownDatabaseClass(name)
            }
            asked = named
        }
        var flags = request.flags
        let file: ProtectedFile
        do throws(ProtectionError) {
            file = try volume.openFile(path, flags.options, class: asked)
        } catch {
            guard error.code == .forbidden, flags.writes else { throw error }
            flags = flags.readingOnly
            file = try volume.openFile(path, flags.options)
        }
        if let asked { try give(asked, to: file, path, volume) }
        let record = withState { state in
            let entry = state.records[file.identity] ?? (FileRecord(), 0)
            state.records[file.identity] = (entry.record, entry.openCount + 1)
            return entry.record
        }
        let isNew = flags.creates && file.size == 0
        return OpenFile(
            self, volume, file, path: path, flags: flags, record: record, isNew: isNew,
            mayRaiseClass: isNew && asked == nil)
    }

    /// Gives a database the class that was asked for, and what lies beside it.
    private func give(
        _ protectionClass: ProtectionClass, to file: ProtectedFile, _ path: String,
        _ volume: ProtectedVolume
    ) throws(ProtectionError) {
        if file.protectionClass != protectionClass { try file.setProtectionClass(protectionClass) }
        for suffix in VolumeNames.sideSuffixes {
            do throws(ProtectionError) {
                try volume.setProtectionClass(protectionClass, of: path + suffix)
            } catch {
                guard error.code == .missing else { throw error }
            }
        }
    }

    /// A database that a connection makes beside another one, as `VACUUM INTO` does, may hold what
    /// that holds: its class is no weaker, unless the caller has named one.
    func raiseClass(of file: OpenFile, over others: [OpenFile]) {
        guard file.mayRaiseClass else { return }
        let stricter = Set(others.map(\.file.protectionClass))
            .filter { $0.isStricter(than: file.file.protectionClass) }
            .sorted { $0.isStricter(than: $1) }
        for protectionClass in stricter {
            do throws(ProtectionError) {
                return try file.file.setProtectionClass(protectionClass)
            } catch {
                // Of a class that cannot be given now nothing can be read, and so not copied.
                note(error)
            }
        }
    }

    /// A journal or log: always of its database's class, whatever the folder says.
    private func openSideFile(
        _ path: String, _ request: FileRequest, _ volume: ProtectedVolume
    ) throws(ProtectionError) -> OpenFile {
        let database = request.database ?? VolumeNames.database(ofSuperJournal: path)
        guard let database else { throw .sideFileAlone }
        let (identity, wanted) = try owner(database, volume)
        let file: ProtectedFile
        do throws(ProtectionError) {
            file = try volume.openFile(path, request.flags.options, class: wanted)
        } catch {
            guard error.code == .sealed, let kept = withState({ $0.kept[path] }) else {
                throw error
            }
            file = kept
        }
        if file.protectionClass != wanted { try file.setProtectionClass(wanted) }
        let record = withState { state in
            // Its name may be taken anew, so the newest handle is kept.
            if wanted == .completeUnlessOpen, request.flags.writes { state.kept[path] = file }
            return state.records[identity]?.record
        }
        // An empty one may be there already; its name is then made durable once more.
        let isNew = request.flags.creates && file.size == 0
        return OpenFile(
            self, volume, file, path: path, flags: request.flags,
            record: request.flags.role == .wal ? record : nil, isNew: isNew)
    }

    /// The identity and class of the database that a side file belongs to: of the one that is open
    /// under that name, or else of the one that has the name.
    private func owner(
        _ path: String, _ volume: ProtectedVolume
    ) throws(ProtectionError) -> (identity: UInt64, protectionClass: ProtectionClass) {
        let open = withState { state in
            state.files.values.filter { $0.role == .database && $0.path == path }
        }
        if let file = open.first?.file, open.allSatisfy({ $0.file.identity == file.identity }) {
            return (file.identity, file.protectionClass)
        }
        let attributes = try volume.attributes(of: path, followingLinks: true)
        guard let protectionClass = attributes.protectionClass else { throw .sideFileAlone }
        return (attributes.identity, protectionClass)
    }

    /// A file for what does not fit into memory: a large sort, a temporary table. It has no name,
    /// and the strictest class that an open database has, because SQLite does not say for which of
    /// them it is. While that is sealed it gets one that every open database can use.
    private func openTemporary(
        _ request: FileRequest, _ volume: ProtectedVolume
    ) throws(ProtectionError) -> OpenFile {
        let usable = withState { state in
            state.files.values.filter { $0.role == .database }.map(\.file.protectionClass)
        }.filter { volume.availability(of: $0).canCreate }
        let strictest =
            usable.min { $0.isStricter(than: $1) } ?? ProtectionClass.completeUnlessOpen
        if let path = request.path {
            let file = try volume.openFile(path, request.flags.options, class: strictest)
            return OpenFile(
                self, volume, file, path: path, flags: request.flags, record: nil, isNew: false)
        }
        let file = try volume.openNamelessFile(class: strictest)
        return OpenFile(
            self, volume, file, path: nil, flags: request.flags, record: nil, isNew: false)
    }
}
