public import DataProtection

/// What went wrong with a database, with what the volume said beneath it.
///
/// *Locked* is never confused with damage, a full disk or another connection that is at work:
///
///     do {
///         try database.execute("INSERT INTO notes VALUES (?)", [.text("hello")])
///     } catch {
///         if error.isLocked { /* wait for the unlock, then do it again */ }
///     }
public struct ProtectedDatabaseError: Error, Hashable, Sendable {
    /// A kind of failure. New kinds may be added.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The database is there and its key is not. What was begun is rolled back.
        case locked
        /// What is on the disk is not what was written, or no database.
        case damaged
        /// The disk is full. What was begun is rolled back.
        case full
        /// Another connection is at work; try again.
        case busy
        /// The statement was interrupted.
        case interrupted
        /// Anything else; the code and the message tell.
        case other
    }

    /// The kind of failure.
    public let kind: Kind
    /// SQLite's extended result code. *Locked* is 7178 (`SQLITE_IOERR_AUTH`), also for a program
    /// that uses SQLite directly; a damaged page is 8202 (`SQLITE_IOERR_DATA`).
    public let code: Int32
    /// What SQLite says.
    public let message: String
    /// What was asked of the database; empty when it was to be opened or closed.
    public let statement: String
    /// What the volume said; `nil` when it has nothing to do with it.
    public let cause: ProtectionError?

    init(
        code: Int32, message: String, statement: String = "", cause: ProtectionError? = nil,
        kind: Kind? = nil
    ) {
        self.kind = kind ?? Self.kind(of: code)
        self.code = code
        self.message = message
        self.statement = statement
        self.cause = cause
    }

    /// Whether the database is there and its key is not: wait for the unlock.
    public var isLocked: Bool { kind == .locked }

    private static func kind(of code: Int32) -> Kind {
        switch code {
        case ResultCode.sealed: return .locked
        case ResultCode.damaged: return .damaged
        default: break
        }
        switch code & 0xFF {
        case ResultCode.corrupt, ResultCode.notADatabase: return .damaged
        case ResultCode.full: return .full
        case ResultCode.busy: return .busy
        case ResultCode.interrupt: return .interrupted
        default: return .other
        }
    }

    /// Whether a refusal of the volume can be what a code tells of.
    static func fits(_ cause: ProtectionError, _ code: Int32) -> Bool {
        switch code {
        case ResultCode.sealed: return cause.code == .sealed
        case ResultCode.damaged: return cause.code == .damaged
        default: break
        }
        let stronger: [ProtectionError.Code] = [.sealed, .damaged, .noSpace]
        switch code & 0xFF {
        case ResultCode.full: return cause.code == .noSpace
        case ResultCode.cannotOpen, ResultCode.inputOutput: return !stronger.contains(cause.code)
        default: return false
        }
    }
}

extension ProtectedDatabaseError: ProtectionErrorCarrier {}

extension ProtectedDatabaseError: CustomStringConvertible {
    /// What happened, and what the volume said about it.
    public var description: String {
        let beneath = cause.map { ": \($0)" } ?? ""
        let asked = statement.isEmpty ? "" : " (\(statement))"
        return "SQLite error \(code): \(message)\(asked)\(beneath)"
    }
}
