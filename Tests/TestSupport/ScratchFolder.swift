import Foundation

/// A folder of the host that is there for one test.
///
/// It is on the disk that holds temporary files; `TMPDIR` chooses another one.
public final class ScratchFolder: Sendable {
    /// The folder's path.
    public let path: String

    /// Makes an empty folder with a name nobody else has.
    public init() throws {
        path =
            FileManager.default.temporaryDirectory
            .appending(path: "seal-\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: path, withIntermediateDirectories: true)
    }

    deinit {
        try? FileManager.default.removeItem(atPath: path)
    }

    /// The path of an entry.
    public func path(of name: String) -> String {
        path + "/" + name
    }
}
