import DataProtection
import Foundation

/// Something that somebody writes.
public struct Document: Codable, Equatable, Sendable, Identifiable {
    /// Names it.
    public let id: String
    /// Its first line.
    public var title: String
    /// All of it.
    public var text: String

    /// Makes one.
    public init(id: String, title: String, text: String) {
        self.id = id
        self.title = title
        self.text = text
    }
}

/// The documents, in the container that the app and its extension share.
public struct DocumentStore: Sendable {
    /// What somebody writes is for nobody else. The extension writes with this constant, too: a
    /// second one, in the extension's own code, would be forgotten when this one changes.
    public static let protection: ProtectedWritingOptions = [.atomic, .completeFileProtection]

    private let files: ProtectedFileManager
    private let folder: URL

    /// Opens the store.
    public init(in files: ProtectedFileManager) throws {
        self.files = files
        let group = "group.org.example.prose"
        guard let container = files.containerURL(forSecurityApplicationGroupIdentifier: group)
        else { throw CocoaError(.fileNoSuchFile) }
        folder = container.appending(path: "Documents")
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
    }

    /// Where a document is.
    public func url(of id: Document.ID) -> URL { folder.appending(path: id + ".json") }

    /// Which documents there are, in every lock state.
    public func identifiers() throws -> [Document.ID] {
        try files.contentsOfDirectory(atPath: folder.path).sorted()
            .filter { $0.hasSuffix(".json") }.map { String($0.dropLast(5)) }
    }

    /// Saves a document, or replaces it. While locked this throws: keep it on the screen.
    public func save(_ document: Document) throws {
        try JSONEncoder().encode(document)
            .write(to: url(of: document.id), options: Self.protection, in: files)
    }

    /// Reads a document. While locked this throws, and `error.isLocked` says so.
    public func document(_ id: Document.ID) throws -> Document {
        try JSONDecoder().decode(Document.self, from: Data(contentsOf: url(of: id), in: files))
    }
}
