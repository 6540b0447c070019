/// Names that belong to a file beside them, and get its class under the rules `safer`.
///
/// The list is short on purpose. A name on it that belongs to nobody costs nothing: the class comes
/// only from a file that is there.
public struct CompanionNames: Sendable, Hashable {
    /// What stands around the name of the file: `.X.swp` has `.` before it and `.swp` behind.
    public struct Frame: Sendable, Hashable {
        /// What stands before the name; may be empty.
        public var start: String
        /// What stands behind the name; may be empty.
        public var end: String

        /// Describes a frame.
        public init(start: String = "", end: String = "") {
            self.start = start
            self.end = end
        }
    }

    /// The frames, in the order in which they are tried.
    public var frames: [Frame]

    /// Makes a list.
    public init(frames: [Frame]) { self.frames = frames }

    /// What a volume begins with: side files of SQLite, backups and swap files of vim and emacs.
    public static let standard = CompanionNames(frames: [
        Frame(end: "-wal"), Frame(end: "-journal"), Frame(end: "~"),
        Frame(start: ".", end: ".swp"), Frame(start: ".", end: ".swo"),
        Frame(start: ".", end: ".swx"), Frame(start: ".#"),
    ])

    /// The name of the file to which `name` may belong; `nil` when it is no companion's name.
    package func owner(of name: String) -> String? {
        for frame in frames
        where name.hasPrefix(frame.start) && name.hasSuffix(frame.end)
            && name.utf8.count > frame.start.utf8.count + frame.end.utf8.count
        {
            return String(name.dropFirst(frame.start.count).dropLast(frame.end.count))
        }
        return nil
    }

    /// The name under which editors leave the former file of a name.
    static func backup(of name: [UInt8]) -> [UInt8] { name + [UInt8(ascii: "~")] }

    /// Whether `name` is that of a database's shared memory.
    package static func isSharedMemory(_ name: String) -> Bool {
        name.hasSuffix(sharedMemorySuffix) && name.count > sharedMemorySuffix.count
    }

    private static let sharedMemorySuffix = "-shm"
}
