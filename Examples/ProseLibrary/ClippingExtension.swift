import DataProtection
import Foundation

/// The extension of the share sheet: makes a document of a text. It has no application that it
/// could ask whether the phone is locked; the result of writing tells.
public struct ClippingExtension: Sendable {
    /// What became of a text.
    public enum Outcome: Equatable, Sendable {
        /// It is a document.
        case kept(Document.ID)
        /// The phone is locked. Nothing was written, least of all under a weaker class.
        case waitingForUnlock
    }

    private let files: ProtectedFileManager
    private let store: DocumentStore

    /// Starts the extension.
    public init(in files: ProtectedFileManager) throws {
        self.files = files
        store = try DocumentStore(in: files)
    }

    /// Takes a text.
    public func receive(_ text: String, id: Document.ID = UUID().uuidString) throws -> Outcome {
        let title = text.split(whereSeparator: \.isNewline).first.map(String.init) ?? ""
        let document = Document(id: id, title: title, text: text)
        do {
            try JSONEncoder().encode(document).write(
                to: store.url(of: id), options: DocumentStore.protection, in: files)
            return .kept(id)
        } catch {
            guard error.isLocked else { throw error }
            return .waitingForUnlock
        }
    }
}
