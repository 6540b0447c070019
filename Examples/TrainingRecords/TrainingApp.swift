import DataProtection
import Foundation

/// The app: keeps records, takes in what arrives, sends everything to its server.
public actor TrainingApp {
    /// What waits for the server is of class `complete`; saved while locked, `completeUnlessOpen`.
    public static let uploads = OutboxOptions()

    /// The records.
    public nonisolated let records: RecordStore
    /// What other apps share.
    public nonisolated let inbox: ShareInbox
    /// What the watch sends.
    public nonisolated let captures: WatchCaptures
    /// What waits for the server.
    public nonisolated let outbox: ProtectedOutbox

    private let files: ProtectedFileManager
    private let upload: @Sendable (OutboxItem) async throws -> Void
    private var last: Task<DrainStatus, any Error>?

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
        guard let volume = files.volume else { throw CocoaError(.featureUnsupported) }
        outbox = try volume.outbox(
            "Library/Application Support/Uploads", options: Self.uploads)
    }

    /// Keeps a record, and has it sent.
    public func add(_ record: TrainingRecord) async throws {
        try records.save(record)
        try await outbox.save(JSONEncoder().encode(record), named: record.id)
    }

    /// What the system lets the app do now and then, with the phone in a pocket: it may be locked
    /// already, or lock in the middle. Waiting for the unlock is an answer, and no failure.
    ///
    /// One after the other: a second one at the same time, which an unlock began, would take in the
    /// same files.
    public func backgroundTask() async throws -> DrainStatus {
        let former = last
        let present = Task {
            _ = await former?.result
            return try await takeInAndSend()
        }
        last = present
        return try await withTaskCancellationHandler {
            try await present.value
        } onCancel: {
            present.cancel()
        }
    }

    /// Does at each unlock what the background task could not, and at once if nothing is locked. An
    /// error is the host's, and nothing is lost: the next background task meets it again.
    ///
    /// - Returns: keep it as long as the app is there.
    public nonisolated func resumeAtUnlock() -> LockObservation {
        outbox.onUnlock { Task { try await self.backgroundTask() } }
    }

    private func takeInAndSend() async throws -> DrainStatus {
        do {
            try await takeIn(captures.folder)
            try await takeIn(inbox.folder)
        } catch {
            guard error.isLocked else { throw error }
            return .waitingForUnlock
        }
        return try await outbox.drain(send: upload)
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
