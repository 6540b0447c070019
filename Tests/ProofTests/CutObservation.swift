import DataProtection

/// All that a volume shows after a power cut.
struct CutObservation: Equatable {
    var folders: [String: ProtectionClass?] = [:]
    var files: [String: File] = [:]

    /// One file that was read.
    struct File: Equatable {
        var content: [UInt8]
        var protectionClass: ProtectionClass
        /// The same for all names of one file.
        var identity: UInt64
    }

    /// Lists everything and reads every file.
    ///
    /// - Throws: what the volume throws; `CutFault.unreadable` for a file or folder that is
    ///   damaged.
    init(_ volume: ProtectedVolume) throws {
        try look(volume, "")
    }

    private mutating func look(_ volume: ProtectedVolume, _ folder: String) throws {
        folders[folder] = try volume.protectionClass(of: folder)
        for entry in try volume.list(folder) {
            let path = folder.isEmpty ? entry.name : "\(folder)/\(entry.name)"
            guard !entry.hasDamagedName else { throw CutFault.unreadable(path, "its name") }
            do {
                if entry.kind == .folder {
                    try look(volume, path)
                } else {
                    let content = try volume.read(path)
                    files[path] = File(
                        content: content,
                        protectionClass: try volume.protectionClass(of: path) ?? .none,
                        identity: try volume.attributes(of: path).identity)
                }
            } catch let error as ProtectionError {
                throw CutFault.unreadable(path, error.description)
            }
        }
    }
}

/// What a power cut must never do.
enum CutFault: Error, Hashable, CustomStringConvertible {
    case unreadable(String, String)
    case lostBytes(String, at: Int)
    case wrongNames(found: [String])
    case weakerClass(String, ProtectionClass)
    case wrongFolderClass(String)
    case unstable
    case cannotOpen(String)
    case cannotWrite(String)

    var description: String {
        switch self {
        case .unreadable(let path, let why): "\(path.prefix(12)) is unreadable: \(why)"
        case .lostBytes(let path, let place):
            "\(path.prefix(12)) lost what was synced, or holds what never was, at \(place)"
        case .wrongNames(let found): "names that never were together: \(found)"
        case .weakerClass(let path, let found): "\(path.prefix(12)) has the weaker class \(found)"
        case .wrongFolderClass(let path): "folder /\(path) gives a class that it never gave"
        case .unstable: "a second look shows something else"
        case .cannotOpen(let why): "the volume does not open: \(why)"
        case .cannotWrite(let why): "the volume cannot be written any more: \(why)"
        }
    }
}
