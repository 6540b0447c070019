import DataProtection
import Foundation

/// One training.
public struct TrainingRecord: Codable, Equatable, Sendable, Identifiable {
    /// Names it, on every device and at the server.
    public let id: String
    /// What was done.
    public let sport: String
    /// How long it took.
    public let minutes: Int

    /// Makes one.
    public init(id: String, sport: String, minutes: Int) {
        self.id = id
        self.sport = sport
        self.minutes = minutes
    }
}

/// The records, one file each.
public struct RecordStore: Sendable {
    /// Health data, which is looked at only while somebody holds the phone.
    public static let protection: ProtectedWritingOptions = [.atomic, .completeFileProtection]

    private let files: ProtectedFileManager
    private let folder: URL

    /// Opens the store.
    public init(in files: ProtectedFileManager) throws {
        self.files = files
        folder = files.urls(for: .documentDirectory, in: .userDomainMask)[0]
            .appending(path: "Records")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Where a record is.
    public func url(of id: TrainingRecord.ID) -> URL { folder.appending(path: id + ".json") }

    /// Saves a record, or replaces it. While locked this throws, and `error.isLocked` says so.
    public func save(_ record: TrainingRecord) throws {
        try JSONEncoder().encode(record)
            .write(to: url(of: record.id), options: Self.protection, in: files)
    }

    /// All records. While locked this throws, if there are any: they are there, just sealed.
    public func all() throws -> [TrainingRecord] {
        try files.contentsOfDirectory(atPath: folder.path).sorted().map { name in
            let data = try Data(contentsOf: folder.appending(path: name), in: files)
            return try JSONDecoder().decode(TrainingRecord.self, from: data)
        }
    }
}
