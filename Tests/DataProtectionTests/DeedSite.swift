import DataProtection
import Testing

/// The folder in which one deed is done: a file `f` of the class, and a folder `in` of the class.
struct DeedSite {
    let deed: Deed
    let protectionClass: ProtectionClass
    let volume: ProtectedVolume
    /// A handle that was open before the state was entered, where the deed needs one.
    let handle: ProtectedFile?

    private static let content = pattern(5000)
    private static let change = pattern(300, seed: 2)

    private var folder: String { Self.folder(deed) }
    private static func folder(_ deed: Deed) -> String { deed.testDescription }

    /// Makes the folder while everything is possible.
    static func prepare(
        _ deed: Deed, _ protectionClass: ProtectionClass, in volume: ProtectedVolume
    ) throws {
        try volume.makeFolder(folder(deed), class: ProtectionClass.none)
        try volume.write(content, to: folder(deed) + "/f", class: protectionClass)
        try volume.makeFolder(folder(deed) + "/in", class: protectionClass)
    }

    /// Opens the handle that the deed is about.
    static func openHandle(_ deed: Deed, in volume: ProtectedVolume) throws -> ProtectedFile? {
        switch deed {
        case .handleRead, .handleWrite, .handleCut, .handleSync, .handleClose, .changeHandle,
            .openSecond:
            try volume.openFile(folder(deed) + "/f", .readWrite)
        default: nil
        }
    }

    /// Does it.
    func act() throws {
        switch deed {
        case .createExplicit, .createInFolder, .createHandleUse, .createHandleCut,
            .reopenAfterCreating, .replaceWhole, .copy:
            try create()
        case .handleRead, .handleWrite, .handleCut, .handleSync, .handleClose, .changeHandle:
            try useHandle(#require(handle))
        case .openRead:
            try withFile(.read) {
                let found = try $0.read(at: 0, count: 9)
                #expect(found == head(9))
            }
        case .openWrite: try withFile(.write) { try $0.write(Self.change, at: 0) }
        case .openTruncate: try withFile([.write, .truncate]) { _ in }
        case .openSecond: try withFile(.read) { _ in }
        case .truncateByPath: try withFile(.write) { try $0.truncate(to: 77) }
        case .status: try checkStatus()
        case .list: #expect(try volume.list(folder).map(\.name) == ["f", "in"])
        case .classRead:
            #expect(try volume.protectionClass(of: folder + "/f") == protectionClass)
        case .rename: try volume.rename(folder + "/f", to: folder + "/g")
        case .delete: try volume.removeFile(folder + "/f")
        case .change(let target): try volume.setProtectionClass(target, of: folder + "/f")
        }
    }

    private func head(_ count: Int) -> [UInt8] { Array(Self.content.prefix(count)) }

    private func withFile(
        _ options: OpenOptions, _ body: (ProtectedFile) throws -> Void
    ) throws {
        let file = try volume.openFile(folder + "/f", options)
        defer { file.close() }
        try body(file)
    }

    private func create() throws {
        switch deed {
        case .replaceWhole:
            try volume.write(Self.change, to: folder + "/f", class: protectionClass)
            return
        case .copy:
            let bytes = try volume.read(folder + "/f")
            try volume.write(bytes, to: folder + "/copy", class: protectionClass)
            return
        default: break
        }
        let path = folder + (deed == .createInFolder ? "/in/new" : "/new")
        let file = try volume.openFile(
            path, [.readWrite, .create, .exclusive],
            class: deed == .createInFolder ? nil : protectionClass)
        defer { file.close() }
        try file.write(Self.change, at: 0)
        switch deed {
        case .createHandleUse:
            #expect(try file.read(at: 0, count: 999) == Self.change)
            #expect(try file.append([1, 2, 3]) == 300)
            #expect(try file.read(at: 299, count: 9) == [Self.change[299], 1, 2, 3])
        case .createHandleCut:
            try file.truncate(to: 7)
            #expect(try file.read(at: 0, count: 99) == Array(Self.change.prefix(7)))
        case .reopenAfterCreating:
            file.close()
            try volume.openFile(path).close()
        default: break
        }
    }

    private func useHandle(_ file: ProtectedFile) throws {
        switch deed {
        case .handleRead: #expect(try file.read(at: 0, count: 5001) == Self.content)
        case .handleWrite: try file.write(Self.change, at: 0)
        case .handleCut: try file.truncate(to: 77)
        case .handleSync: try file.synchronize()
        case .changeHandle(let target):
            try file.setProtectionClass(target)
            #expect(try file.read(at: 0, count: 9) == head(9), "the handle stays usable")
        default: file.close()
        }
    }

    private func checkStatus() throws {
        let found = try volume.attributes(of: folder + "/f")
        #expect(found.kind == .file)
        #expect(found.size == 5000)
        #expect(found.protectionClass == protectionClass)
        #expect(found.damage == nil)
        #expect(found.isSealed == !volume.availability(of: protectionClass).canOpen)
    }

    /// Looks, after an unlock, at what was left behind.
    func verify(_ outcome: Outcome) throws {
        guard outcome == .done else {
            // `reopenAfterCreating` creates first: that part was done.
            let names = deed == .reopenAfterCreating ? ["f", "in", "new"] : ["f", "in"]
            #expect(try volume.list(folder).map(\.name) == names, "\(deed)")
            #expect(try volume.list(folder + "/in").isEmpty, "\(deed)")
            #expect(try volume.read(folder + "/f") == Self.content, "\(deed)")
            #expect(try volume.protectionClass(of: folder + "/f") == protectionClass, "\(deed)")
            return
        }
        var file = folder + "/f"
        var content = Self.content
        var found = protectionClass
        switch deed {
        case .createExplicit, .reopenAfterCreating: (file, content) = (folder + "/new", Self.change)
        case .createInFolder: (file, content) = (folder + "/in/new", Self.change)
        case .createHandleUse: (file, content) = (folder + "/new", Self.change + [1, 2, 3])
        case .createHandleCut: (file, content) = (folder + "/new", Array(Self.change.prefix(7)))
        case .copy: file = folder + "/copy"
        case .openWrite, .handleWrite:
            content.replaceSubrange(0..<Self.change.count, with: Self.change)
        case .openTruncate: content = []
        case .truncateByPath, .handleCut: content = head(77)
        case .replaceWhole: content = Self.change
        case .rename: file = folder + "/g"
        case .delete:
            return #expect(refusal { _ = try volume.attributes(of: file) } == .missing)
        case .change(let target), .changeHandle(let target): found = target
        default: break
        }
        #expect(try volume.read(file) == content, "\(deed)")
        #expect(try volume.protectionClass(of: file) == found, "\(deed)")
    }
}
