import DataProtection
import Foundation

/// The app: keeps records, takes in what arrives, sends everything to its server.
public final class TrainingApp: Sendable {
    /// What waits for the server is of class `complete`; saved while locked, `completeUnlessOpen`.
    public static let uploads = OutboxOptions()

    /// The records.
    public let records: RecordStore
    /// What other apps share.
    public let inbox: ShareInbox
    /// What the watch sends.
    public let captures: WatchCaptures
    /// What waits for the server.
    public let outbox: ProtectedOutbox

    private let files: ProtectedFileManager
    private let upload: @Sendable (OutboxItem) async throws -> Void

    /// Starts the app, in whatever state the phone is.
    ///
    /// - Parameter upload: returns when the server has the item. The server ignores a key, and a
    ///   record, that it has.
    public init(
        files: ProtectedFileManager, upload: @escaping @Sendable (OutboxItem) async throws -> Void
    ) throws {
        self.files = files
        self.upload = upload
        records = try RecordStore(in: files)
        inbox = try ShareInbox(in: files)
        captures = try WatchCaptures(in: files)
        outbox = try files.volume.outbox(
            "Library/Application Support/Uploads", options: Self.uploads)
    }

    /// Keeps a record, and has it sent.
    public func add(_ record: TrainingRecord) async throws {
        try records.save(record)
        try await outbox.save(JSONEncoder().encode(record), named: record.id)
    }

    /// What the system lets the app do now and then, with the phone in a pocket: it may be locked
    /// already, or lock in the middle. Waiting for the unlock is an answer, and no failure.
    public func backgroundTask() async throws -> DrainStatus {
        do {
            try await takeIn(captures.folder)
            try await takeIn(inbox.folder)
        } catch {
            guard error.isLocked else { throw error }
            return .waitingForUnlock
        }
        return try await outbox.drain(send: upload)
    }

    /// Does at each unlock what the background task could not, and at once if nothing is locked.
    ///
    /// - Returns: keep it as long as the app is there.
    public func resumeAtUnlock() -> LockObservation {
        outbox.onUnlock { Task { try await self.backgroundTask() } }
    }

    /// Makes records of what has arrived. A file goes when its record is safe: an app that is
    /// killed in between takes it in once more, as the same record.
    private func takeIn(_ folder: URL) async throws {
        for name in try files.contentsOfDirectory(atPath: folder.path).sorted()
        where name.hasSuffix(".json") {
            let url = folder.appending(path: name)
            let data = try Data(contentsOf: url, in: files)
            if let record = try? JSONDecoder().decode(TrainingRecord.self, from: data) {
                try await add(record)
                try files.removeItem(at: url)
            } else {
                // It was read and is no record. It must not stop those behind it.
                try files.moveItem(at: url, to: folder.appending(path: name + ".unknown"))
            }
        }
    }
}
