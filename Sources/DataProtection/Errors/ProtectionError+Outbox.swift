// The catalogue's part for outboxes.

extension ProtectionError {
    /// Options, or an argument, that make no sense.
    package static func outboxOption(_ what: String) -> ProtectionError {
        invalidArgument(what, remedy: "leave it at its default, or see docs/outbox.md")
    }

    /// A folder that an outbox cannot have to itself.
    package static var outboxNeedsFolder: ProtectionError {
        invalidArgument(
            "an outbox needs a folder of its own", remedy: "name one, as Outbox or Library/Outbox")
    }

    /// A file of somebody else's where the log would be.
    package static var notAnOutbox: ProtectionError {
        ProtectionError(
            .exists, "there is a file of this name already, and it is no outbox's",
            remedy: "give the outbox a folder of its own")
    }

    /// It is open already, and cannot behave in two ways.
    package static func outboxInUse(_ folder: String) -> ProtectionError {
        ProtectionError(
            .busy, "this outbox is in use with other options", remedy: "open it once, and share it",
            place: folder)
    }

    /// A drain from within the closure of a drain.
    package static var drainWaitsForItself: ProtectionError {
        ProtectionError(
            .invalidArgument, "the closure that sends cannot drain the outbox it sends for",
            remedy: "return, and the drain goes on by itself")
    }

    /// A body beyond the limit.
    package static func outboxItemTooLong(_ byteCount: Int, limit: Int) -> ProtectionError {
        ProtectionError(
            .invalidArgument, "an item of \(byteCount) bytes is more than the outbox takes",
            remedy: "send it in parts of \(limit) bytes, the outbox's itemByteLimit",
            errorNumber: 27)
    }

    /// A label beyond the limit.
    package static func outboxNameTooLong(_ byteCount: Int, limit: Int) -> ProtectionError {
        ProtectionError(
            .invalidArgument, "a name of \(byteCount) bytes is more than the outbox takes",
            remedy: "shorten it to \(limit) bytes, the outbox's nameByteLimit", errorNumber: 36)
    }

    /// One of the limits for all items.
    package static func outboxFull(_ what: String, _ folder: String) -> ProtectionError {
        ProtectionError(
            .noSpace, "the outbox \(what), its limit",
            remedy: "drain it, or drop what is blocked", place: folder,
            errorNumber: 122)  // EDQUOT: not the disk, a limit that somebody set
    }

    /// A later version was here.
    package static func newerOutbox(_ version: UInt32) -> ProtectionError {
        ProtectionError(
            .newerFormat, "the outbox has format \(version), this program knows format 1",
            remedy: "install a newer version")
    }

    /// Nothing of this number.
    package static func noSuchItem(_ number: Int64) -> ProtectionError {
        ProtectionError(
            .missing, "there is no item \(number) in the outbox",
            remedy: "it was delivered or dropped, or never there; list the items to see what waits")
    }

    /// An item that is with the closure that sends.
    package static func itemIsBeingSent(_ number: Int64) -> ProtectionError {
        ProtectionError(
            .busy, "item \(number) is being sent", remedy: "try again when that has ended")
    }

    /// An item that cannot be handed out.
    package static func unusableItem(_ number: Int64, _ reason: OutboxReason) -> ProtectionError {
        ProtectionError(
            reason == .newerFormat ? .newerFormat : .damaged,
            "item \(number) cannot be read: \(reason.sentence)",
            remedy: reason == .newerFormat
                ? "install a newer version" : "restore it from a backup, or drop it")
    }
}
