import DataProtection
import Foundation
import Testing

/// The folder in which one deed is done through the Foundation-shaped calls: a file `f` of the
/// class, and a folder `in` of the class.
struct FilesDeedSite {
    let deed: Deed
    let protectionClass: ProtectionClass
    let files: ProtectedFileManager
    /// A handle that was open before the state was entered, where the deed needs one.
    let handle: ProtectedFileHandle?

    private static let content = Data(pattern(5000))
    private static let change = Data(pattern(300, seed: 2))

    private static func folder(_ deed: Deed) -> String { deed.testDescription }

    private func url(_ name: String) -> URL {
        files.rootURL.appending(path: Self.folder(deed)).appending(path: name)
    }

    private var options: Data.WritingOptions {
        switch protectionClass {
        case .complete: .completeFileProtection
        case .completeUnlessOpen: .completeFileProtectionUnlessOpen
        case .completeUntilFirstUserAuthentication:
            .completeFileProtectionUntilFirstUserAuthentication
        case .none: .noFileProtection
        }
    }

    /// Makes the folder while everything is possible.
    static func prepare(
        _ deed: Deed, _ protectionClass: ProtectionClass, in files: ProtectedFileManager
    ) throws {
        let type = protectionClass.fileProtectionType
        let folder = files.rootURL.appending(path: folder(deed))
        try files.createDirectory(
            at: folder, withIntermediateDirectories: false,
            attributes: [.protectionKey: FileProtectionType.none])
        try files.createFile(
            atPath: folder.appending(path: "f").path, contents: content,
            attributes: [.protectionKey: type])
        try files.createDirectory(
            at: folder.appending(path: "in"), withIntermediateDirectories: false,
            attributes: [.protectionKey: type])
    }

    /// Opens the handle that the deed is about.
    static func openHandle(
        _ deed: Deed, in files: ProtectedFileManager
    ) throws -> ProtectedFileHandle? {
        switch deed {
        case .handleRead, .handleWrite, .handleCut, .handleSync, .handleClose, .changeHandle,
            .openSecond:
            try ProtectedFileHandle(
                forUpdating: files.rootURL.appending(path: folder(deed)).appending(path: "f"),
                in: files)
        default: nil
        }
    }

    /// Does it.
    func act() throws {
        let file = url("f")
        switch deed {
        case .createExplicit: try Self.change.write(to: url("new"), options: options, in: files)
        case .createInFolder: try Self.change.write(to: url("in/new"), in: files)
        case .createHandleUse, .createHandleCut, .reopenAfterCreating: try create()
        case .replaceWhole:
            try Self.change.write(to: file, options: options.union(.atomic), in: files)
        case .copy: try files.copyItem(at: file, to: url("copy"))
        case .openRead: #expect(try Data(contentsOf: file, in: files) == Self.content)
        case .openWrite:
            try ProtectedFileHandle(forWritingTo: file, in: files)
                .write(contentsOf: Self.change)
        case .openTruncate: try Data().write(to: file, in: files)
        case .openSecond: _ = try ProtectedFileHandle(forReadingFrom: file, in: files)
        case .truncateByPath:
            try ProtectedFileHandle(forUpdating: file, in: files).truncate(atOffset: 77)
        case .rename: try files.moveItem(at: file, to: url("g"))
        case .delete: try files.removeItem(at: file)
        case .change(let target):
            try files.setAttributes(
                [.protectionKey: target.fileProtectionType], ofItemAtPath: file.path)
        case .status, .list, .classRead: try look(file)
        case .handleRead, .handleWrite, .handleCut, .handleSync, .handleClose, .changeHandle:
            try use(#require(handle))
        }
    }

    private func create() throws {
        let handle = try files.createFile(
            at: url("new"), protection: protectionClass.fileProtectionType)
        try handle.write(contentsOf: Self.change)
        switch deed {
        case .createHandleCut: try handle.truncate(atOffset: 7)
        case .reopenAfterCreating:
            try handle.close()
            _ = try ProtectedFileHandle(forReadingFrom: url("new"), in: files)
        default:
            try handle.seek(toOffset: 0)
            #expect(try handle.readToEnd() == Self.change)
        }
    }

    private func look(_ file: URL) throws {
        let found = try files.attributesOfItem(atPath: file.path)
        #expect(found[.protectionKey] as? FileProtectionType == protectionClass.fileProtectionType)
        #expect(found[.size] as? Int == 5000)
        #expect(try files.fileExists(atPath: file.path))
        #expect(
            try files.contentsOfDirectory(atPath: file.deletingLastPathComponent().path)
                == ["f", "in"])
    }

    private func use(_ handle: ProtectedFileHandle) throws {
        switch deed {
        case .handleRead: #expect(try handle.readToEnd() == Self.content)
        case .handleWrite: try handle.write(contentsOf: Self.change)
        case .handleCut: try handle.truncate(atOffset: 77)
        case .handleSync: try handle.synchronize()
        case .changeHandle(let target):
            try files.setAttributes(
                [.protectionKey: target.fileProtectionType], ofItemAtPath: url("f").path)
        default: try handle.close()
        }
    }

    /// Looks, after an unlock, at what was left behind.
    func verify(_ outcome: Outcome) throws {
        var name = "f"
        var content = Self.content
        var expected = protectionClass
        if outcome == .done {
            switch deed {
            case .createExplicit, .createHandleUse, .reopenAfterCreating:
                (name, content) = ("new", Self.change)
            case .createInFolder: (name, content) = ("in/new", Self.change)
            case .createHandleCut: (name, content) = ("new", Self.change.prefix(7))
            case .copy: name = "copy"
            case .openWrite, .handleWrite: content.replaceSubrange(0..<300, with: Self.change)
            case .openTruncate: content = Data()
            case .truncateByPath, .handleCut: content = content.prefix(77)
            case .replaceWhole: content = Self.change
            case .rename: name = "g"
            case .delete: return #expect(try !files.fileExists(atPath: url("f").path))
            case .change(let target), .changeHandle(let target): expected = target
            default: break
            }
        } else {
            // `reopenAfterCreating` creates first: that part was done.
            let folder = url("").path
            let names = deed == .reopenAfterCreating ? ["f", "in", "new"] : ["f", "in"]
            #expect(try files.subpathsOfDirectory(atPath: folder) == names, "\(deed)")
        }
        #expect(try Data(contentsOf: url(name), in: files) == content, "\(deed)")
        let found = try files.attributesOfItem(atPath: url(name).path)
        #expect(
            found[.protectionKey] as? FileProtectionType == expected.fileProtectionType,
            "\(deed)")
    }
}
