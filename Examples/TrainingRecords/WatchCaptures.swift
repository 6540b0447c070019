import DataProtection
import Foundation

/// What the watch sends, at any time.
public struct WatchCaptures: Sendable {
    /// It arrives in the background, perhaps while locked: it can be made then, is written while it
    /// stays open, and is as sealed as everything else once it is closed.
    public static let protection = FileProtectionType.completeUnlessOpen

    /// Where captures are.
    public let folder: URL
    private let files: ProtectedFileManager

    /// Opens the place for captures.
    public init(in files: ProtectedFileManager) throws {
        self.files = files
        folder = files.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
            .appending(path: "Captures")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Begins to receive a capture.
    ///
    /// What was received of it in an earlier life of the app is of no use: the watch sends it all.
    public func begin(_ id: TrainingRecord.ID) throws -> Capture {
        let part = folder.appending(path: id + ".part")
        if try files.fileExists(atPath: part.path) { try files.removeItem(at: part) }
        let handle = try files.createFile(at: part, protection: Self.protection)
        return Capture(
            handle: handle, whole: folder.appending(path: id + ".json"), files: files)
    }
}

/// A capture that is being received. It goes on through a lock.
public struct Capture: Sendable {
    let handle: ProtectedFileHandle
    let whole: URL
    let files: ProtectedFileManager

    /// Writes the next part.
    public func append(_ bytes: Data) throws { try handle.write(contentsOf: bytes) }

    /// Closes it, which seals it if the phone is locked, and gives it the name of a whole one. When
    /// this has returned, the watch may forget it.
    public func finish() throws {
        try handle.synchronize()
        try handle.close()
        if try files.fileExists(atPath: whole.path) { try files.removeItem(at: whole) }
        try files.moveItem(at: handle.url, to: whole)
        try files.volume?.synchronizeFolder(
            files.volumePath(of: whole.deletingLastPathComponent()))
    }
}
