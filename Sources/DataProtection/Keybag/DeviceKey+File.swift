internal import Cryptography

extension DeviceKey {
    /// Reads a device key file.
    ///
    /// - Parameter path: the file, 64 bytes, mode 0600.
    /// - Throws: `deviceKey` when there is none, `damaged` when it is not one, `forbidden`.
    public static func load(from path: String) throws(ProtectionError) -> DeviceKey {
        try load(from: path, linkCount: 0)
    }

    /// The device key may be a link, for instance to a stick.
    private static func load(
        from path: String, linkCount: Int
    ) throws(ProtectionError) -> DeviceKey {
        let (folderPath, name) = split(path)
        let store: FolderStore
        var bytes = [UInt8](repeating: 0, count: DeviceKeyRecord.byteCount + 1)
        defer { Wipe.zero(&bytes) }
        do {
            store = try FolderStore(path: folderPath)
            if linkCount < linkCountMaximum, let target = try? store.root.readSymlink(name) {
                let isAbsolute = target.hasPrefix("/")
                return try load(
                    from: isAbsolute ? target : "\(folderPath)/\(target)",
                    linkCount: linkCount + 1)
            }
            let file = try store.root.openFile(name, writable: false)
            var span = bytes.mutableSpan
            let count = try file.read(into: &span, at: 0)
            guard count == DeviceKeyRecord.byteCount else {
                throw ProtectionError.deviceKeyDamaged(path)
            }
        } catch let error as HostError {
            switch error.code {
            case HostError.noSuchEntry, HostError.notFolder: throw .deviceKeyMissing(path)
            case HostError.invalidArgument, HostError.isFolder, HostError.symbolicLink:
                throw .deviceKeyDamaged(path)
            default: throw ProtectionError(error).at(path)
            }
        } catch let error as ProtectionError {
            throw error
        } catch {
            throw .deviceKeyDamaged(path)
        }
        bytes.removeLast()
        guard DeviceKeyRecord.isValid(bytes) else { throw .deviceKeyDamaged(path) }
        let key = try translating { () throws(CryptographyError) in
            try SecretKey(copying: bytes.span.extracting(24..<56))
        }
        return DeviceKey(
            identifier: bytes.field(8..<24), key: key,
            attempts: FileAttemptStore(store: store, fileName: name))
    }

    /// Reads a device key file, or draws a key and makes the file when there is none.
    ///
    /// Only for making a new volume: a volume that exists needs the key it was made with.
    /// - Parameter path: the file; missing folders on the way are made with mode 0700.
    /// - Throws: as `load(from:)`, and `noSpace`.
    public static func loadOrCreate(at path: String) throws(ProtectionError) -> DeviceKey {
        do {
            return try load(from: path)
        } catch  where error.code == .deviceKey {
            try create(at: path)
            return try load(from: path)
        }
    }

    private static func create(at path: String) throws(ProtectionError) {
        let (folderPath, name) = split(path)
        var secret = SecureRandom.bytes(SecretKey.byteCount)
        var bytes = DeviceKeyRecord.bytes(
            identifier: SecureRandom.bytes(identifierByteCount), key: secret)
        defer {
            Wipe.zero(&secret)
            Wipe.zero(&bytes)
        }
        do throws(HostError) {
            try FolderStore.makeFolders(folderPath)
            let folder = try FolderStore(path: folderPath).root
            try folder.writeDurably(bytes, as: name, rule: .exclusive)
        } catch  where error.code == HostError.entryExists {
            return  // another process made it a moment ago; both use that one
        } catch {
            throw ProtectionError(error).at(path)
        }
    }

    /// As many links are followed.
    private static var linkCountMaximum: Int { 8 }

    /// The folder and the last part of a path.
    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = String(path[..<slash])
        return (folder.isEmpty ? "/" : folder, String(path[path.index(after: slash)...]))
    }
}
