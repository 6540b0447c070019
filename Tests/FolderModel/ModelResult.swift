/// How an operation ended, on either side.
public enum ModelResult: Hashable, Sendable {
    /// It was done and says nothing more.
    case done
    /// The slot is empty.
    case nothing
    /// Bytes that were read; `nil` where an attribute is not set.
    case bytes([UInt8]?)
    /// Where something is.
    case place(Int64)
    /// A link's target.
    case text(String)
    /// A listing.
    case names([String])
    /// What is known of an entry.
    case attributes(ModelAttributes)
    /// It was refused, with an error number.
    case failed(Int32)
    /// It was refused because its key is not there.
    case sealed
}

extension ModelResult {
    /// Leaves out the times of the top folder: the volume's own files in it come and go.
    var withoutTimes: ModelResult {
        guard case .attributes(var attributes) = self else { return self }
        attributes.modification = nil
        return .attributes(attributes)
    }
}

/// What both sides know of an entry.
public struct ModelAttributes: Hashable, Sendable {
    /// What it is.
    public var kind: Kind
    /// The size of a file or of a link's target, in bytes.
    public var size: Int64
    /// Permission bits; of a link there are none.
    public var mode: UInt32
    /// How many names it has; of a folder, each host counts in its own way.
    public var linkCount: UInt64
    /// The owner.
    public var owner: UInt32
    /// The group.
    public var group: UInt32
    /// Which of the times that were set it has; `nil` for one of a clock.
    public var modification: ModelTime?
    /// The same; reading a link changes it.
    public var access: ModelTime?

    /// What an entry is.
    public enum Kind: Hashable, Sendable {
        case file, folder, symlink, fifo
    }

    /// Leaves out what cannot be compared.
    mutating func normalize() {
        // Looking at a folder may change when it was looked at, as the host was mounted.
        if kind == .folder { (linkCount, size, access) = (0, 0, nil) }
        if kind == .symlink { (mode, access) = (0, nil) }
    }
}

extension ModelTime {
    /// The one of the times that these seconds and nanoseconds are.
    init?(seconds: Int64, nanoseconds: Int64) {
        let found = ModelTime.all.first {
            $0.fileTime.seconds == seconds && $0.fileTime.nanoseconds == nanoseconds
        }
        guard let found else { return nil }
        self = found
    }
}

extension ModelResult: CustomStringConvertible {
    /// The result, short enough to be read.
    public var description: String {
        switch self {
        case .bytes(let bytes?):
            "\(bytes.count) bytes \(bytes.prefix(4))…, sum \(bytes.reduce(0) { $0 &+ Int($1) })"
        case .bytes(nil): "no bytes"
        case .done: "done"
        case .nothing: "nothing"
        case .place(let place): "at \(place)"
        case .text(let text): "'\(text.prefix(60))'"
        case .names(let names): "\(names.map { $0.prefix(20) })"
        case .attributes(let attributes): "\(attributes)"
        case .failed(let number): "error \(number)"
        case .sealed: "sealed"
        }
    }
}
