import DataProtection
import Foundation

/// How much is in each document: what the widget shows.
public struct LibraryIndex: Sendable {
    /// Cheap to make again, and read by a widget while locked: the default class. So it holds no
    /// word of any document: what is copied into a weaker file has that file's protection.
    public static let protection: ProtectedWritingOptions = [
        .atomic, .completeFileProtectionUntilFirstUserAuthentication,
    ]

    private let files: ProtectedFileManager
    private let documents: DocumentStore

    /// Where it is.
    public let url: URL

    /// Opens the index, which need not be there.
    public init(of documents: DocumentStore, in files: ProtectedFileManager) {
        self.files = files
        self.documents = documents
        url = files.urls(for: .cachesDirectory, in: .userDomainMask)[0]
            .appending(path: "index.json")
    }

    /// The number of words of each document, as of the last time that somebody could count.
    ///
    /// An index that is missing or broken is made again, which needs an unlocked phone. One that is
    /// sealed, before the first unlock, is neither: it is waited for.
    public func wordCounts() throws -> [Document.ID: Int] {
        do {
            return try JSONDecoder().decode(
                [Document.ID: Int].self, from: Data(contentsOf: url, in: files))
        } catch {
            if error.isLocked { throw error }
            return try rebuild()
        }
    }

    /// Counts afresh. While locked this throws, and the former index stays.
    @discardableResult
    public func rebuild() throws -> [Document.ID: Int] {
        var counts: [Document.ID: Int] = [:]
        for id in try documents.identifiers() {
            counts[id] = try documents.document(id).text.split(whereSeparator: \.isWhitespace).count
        }
        try JSONEncoder().encode(counts).write(to: url, options: Self.protection, in: files)
        return counts
    }
}
