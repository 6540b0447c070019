import DataProtection
import Foundation

/// What other apps share with this one: the extension puts it in, the app takes it out.
public struct ShareInbox: Sendable {
    /// As secret as the records that it becomes. Extension and app write with this one constant.
    public static let protection = RecordStore.protection

    /// Where it is: in the container that app and extension share.
    public let folder: URL
    private let files: ProtectedFileManager

    /// Opens the inbox.
    public init(in files: ProtectedFileManager) throws {
        self.files = files
        let group = "group.org.example.training"
        guard let container = files.containerURL(forSecurityApplicationGroupIdentifier: group)
        else { throw CocoaError(.fileNoSuchFile) }
        folder = container.appending(path: "Inbox")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Puts something in, in the extension.
    public func receive(_ record: TrainingRecord) throws {
        let url = folder.appending(path: record.id + ".json")
        try JSONEncoder().encode(record).write(to: url, options: Self.protection, in: files)
    }
}
