internal import DataProtection

/// SQLite's result codes, as far as a file answers with them. The extended ones are expressions in
/// its header, which Swift does not see.
enum ResultCode {
    static let ok: Int32 = 0
    static let error: Int32 = 1
    static let busy: Int32 = 5
    static let noMemory: Int32 = 7
    static let readOnly: Int32 = 8
    static let interrupt: Int32 = 9
    static let inputOutput: Int32 = 10
    static let corrupt: Int32 = 11
    static let notFound: Int32 = 12
    static let full: Int32 = 13
    static let cannotOpen: Int32 = 14
    static let misuse: Int32 = 21
    static let authorization: Int32 = 23
    static let notADatabase: Int32 = 26
    static let row: Int32 = 100
    static let done: Int32 = 101

    static let symbolicLinkFollowed = ok | 2 << 8
    static let read = inputOutput | 1 << 8
    static let readOnlyRecovery = readOnly | 1 << 8
    static let readOnlyRollback = readOnly | 3 << 8
    static let shortRead = inputOutput | 2 << 8
    static let write = inputOutput | 3 << 8
    static let sync = inputOutput | 4 << 8
    static let truncate = inputOutput | 6 << 8
    static let size = inputOutput | 7 << 8
    static let delete = inputOutput | 10 << 8
    static let noMemoryInFile = inputOutput | 12 << 8
    static let access = inputOutput | 13 << 8
    static let lock = inputOutput | 15 << 8
    static let nothingToDelete = inputOutput | 23 << 8
    /// SQLite leaves this one to whoever writes a file layer: here a file is sealed.
    static let sealed = inputOutput | 28 << 8
    /// What was read is not what was written.
    static let damaged = inputOutput | 32 << 8

    /// The code for a refusal; `other` for a kind that SQLite has no word for.
    static func of(_ error: ProtectionError, else other: Int32) -> Int32 {
        switch error.code {
        case .sealed: sealed
        case .damaged: damaged
        case .noSpace: full
        case .keyMemory: noMemoryInFile
        case .wrongAccess: readOnly
        default: other
        }
    }
}

/// What SQLite opens a file as, and how.
struct FileFlags: Sendable {
    let rawValue: Int32

    static let readOnly: Int32 = 0x1
    static let readWrite: Int32 = 0x2

    var writes: Bool { rawValue & Self.readWrite != 0 }
    var creates: Bool { rawValue & 0x4 != 0 }
    var deletesOnClose: Bool { rawValue & 0x8 != 0 }
    var isExclusive: Bool { rawValue & 0x10 != 0 }

    /// What the file is to SQLite.
    var role: FileRole {
        switch rawValue & 0x8_7F00 {
        case 0x100: .database
        case 0x800: .journal
        case 0x4000: .superJournal
        case 0x8_0000: .wal
        default: .temporary
        }
    }

    /// How the volume opens it.
    var options: OpenOptions {
        var options: OpenOptions = writes ? .readWrite : .read
        if creates { options.insert(.create) }
        if creates && isExclusive { options.insert(.exclusive) }
        return options
    }

    /// The same for a file that turned out not to be writable.
    var readingOnly: FileFlags {
        FileFlags(rawValue: rawValue & ~(Self.readWrite | 0x4) | Self.readOnly)
    }
}

/// What a file is to SQLite.
enum FileRole: Sendable {
    case database, journal, wal, superJournal, temporary
}
