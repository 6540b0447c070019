import DataProtection

/// What the command tells the program that ran it. A number is never given another meaning.
package enum ExitCode: Int32, Sendable, CaseIterable {
    /// It was done.
    case done = 0
    /// It failed, for a reason without a number of its own: missing, busy, a full disk.
    case failed = 1
    /// The command line was not understood; nothing was done.
    case usage = 2
    /// The data is there, but its key is not available now. It may be after an unlock.
    case sealed = 3
    /// The passcode or recovery key is wrong, or no further try is allowed yet.
    case wrongPasscode = 4
    /// The bytes on disk are not what was written.
    case damaged = 5
    /// An outbox holds what could not be sent now.
    case undelivered = 7

    /// What it means, in a word or two.
    var word: String {
        switch self {
        case .done: "done"
        case .failed: "failed"
        case .usage: "usage"
        case .sealed: "sealed"
        case .wrongPasscode: "wrong passcode"
        case .damaged: "damaged"
        case .undelivered: "undelivered"
        }
    }

    /// What it means.
    var sentence: String {
        switch self {
        case .done: "Done."
        case .failed:
            "Failed: missing, busy, the disk is full, no volume, no or another device key."
        case .usage:
            "The command line was not understood, or an answer is needed and there is no terminal. "
                + "Nothing was done."
        case .sealed:
            "Sealed: the data is there, but its key is not available now. It may be after an "
                + "unlock."
        case .wrongPasscode:
            "The passcode or recovery key is wrong, or no further try is allowed yet."
        case .damaged: "Damaged: the bytes on disk are not what was written."
        case .undelivered:
            "Undelivered: an item of an outbox waits for its next try, for credentials, for "
                + "'resume' or for somebody to decide."
        }
    }

    /// The exit code of an engine's error.
    init(_ code: ProtectionError.Code) {
        switch code {
        case .sealed: self = .sealed
        case .wrongPasscode, .throttled: self = .wrongPasscode
        case .damaged: self = .damaged
        default: self = .failed
        }
    }
}
