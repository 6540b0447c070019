package import DataProtection
import FoundationEssentials

/// What the demonstration does with a file.
package enum DemoOperation: String, Sendable, CaseIterable, Codable {
    /// Makes a new file of the class and writes to it.
    case create
    /// Opens a file that exists, and reads it.
    case read
    /// Opens a file that exists, and writes to it.
    case write
    /// Reads through a handle that was opened while unlocked.
    case readOpenHandle
    /// Writes through a handle that was opened while unlocked.
    case writeOpenHandle
    /// Closes a file that was made in this state, and opens it again.
    case reopen
    /// Asks for size and class.
    case stat
    /// Lists the folder that the file is in.
    case list
    /// Gives the file another name.
    case rename
    /// Removes the file.
    case delete
    /// Gives the file the next weaker class.
    case lower
    /// Gives the file the next stricter class.
    case raise
}

/// What happened when one operation was done on a file of one class in one state.
package struct DemoRow: Sendable, Hashable {
    /// The file's class.
    package let protectionClass: ProtectionClass
    /// The lock state in which it was done.
    package let state: LockState
    /// What was done.
    package let operation: DemoOperation
    /// `ok`; the name of the error number, `EPERM` for a sealed file; `n/a` where it cannot be
    /// tried.
    package let result: String

    /// The result of what cannot be tried in a state.
    package static let notApplicable = "n/a"

    /// Notes what happened.
    package init(
        _ protectionClass: ProtectionClass, _ state: LockState, _ operation: DemoOperation,
        _ result: String
    ) {
        self.protectionClass = protectionClass
        self.state = state
        self.operation = operation
        self.result = result
    }

    /// The row as JSON.
    package var json: JSONValue {
        .object([
            ("class", .string(protectionClass.name)), ("state", .string(state.rawValue)),
            ("operation", .string(operation.rawValue)), ("result", .string(result)),
        ])
    }
}

extension DemoRow {
    /// The form in which another process hands rows over.
    private struct Transported: Decodable {
        let `class`: String
        let state: String
        let operation: DemoOperation
        let result: String
    }

    /// Reads rows from JSON.
    ///
    /// - Returns: `nil` when the bytes are something else.
    static func rows(json bytes: [UInt8]) -> [DemoRow]? {
        let decoded = try? JSONDecoder().decode([Transported].self, from: Data(bytes))
        guard let decoded else { return nil }
        let rows = decoded.compactMap { row -> DemoRow? in
            guard let protectionClass = ProtectionClass(named: row.class),
                let state = LockState(rawValue: row.state)
            else { return nil }
            return DemoRow(protectionClass, state, row.operation, row.result)
        }
        return rows.count == decoded.count ? rows : nil
    }
}
