public import FoundationEssentials
internal import Synchronization

/// An open file of a volume, in the shape of Foundation's `FileHandle`.
///
/// A handle of class `complete` throws while the volume is locked (`error.isLocked`), and works
/// again after the unlock. A handle of class `completeUnlessOpen` goes on working until it is
/// closed: open it, or make the file with `ProtectedFileManager.createFile(at:protection:)`, and
/// keep it for as long as a background download takes.
///
/// There is no file descriptor. Any thread can use it; calls that move the offset take turns.
public final class ProtectedFileHandle: Sendable {
    /// The file, as it was called when it was opened.
    public let url: URL
    /// The engine's handle, with offsets of its own; `nil` for a file of a volume that another
    /// process has mounted.
    public var file: ProtectedFile? { item as? ProtectedFile }
    private let item: any OpenFile
    private let files: ProtectedFileManager
    private let position = Mutex<Int64>(0)

    init(_ item: any OpenFile, url: URL, in files: ProtectedFileManager) {
        self.item = item
        self.url = url
        self.files = files
    }

    private convenience init(
        _ url: URL, _ options: OpenOptions, _ access: FileAccess, in files: ProtectedFileManager
    ) throws {
        let file = try files.perform(access, at: .url(url)) { path throws(ProtectionError) in
            try files.items.open(path, options)
        }
        self.init(file, url: url, in: files)
    }

    /// Opens a file to read it.
    ///
    /// - Throws: `CocoaError` 257 over `EPERM` when it is sealed, 260 when it is missing.
    public convenience init(forReadingFrom url: URL, in files: ProtectedFileManager) throws {
        try self.init(url, .read, .reading, in: files)
    }

    /// Opens a file that is there to write it, from the beginning on.
    ///
    /// - Throws: `CocoaError` 513 over `EPERM` when it is sealed, 4 when it is missing.
    public convenience init(forWritingTo url: URL, in files: ProtectedFileManager) throws {
        try self.init(url, .write, .writing, in: files)
    }

    /// Opens a file that is there to read and write it.
    ///
    /// - Throws: `CocoaError` 513 over `EPERM` when it is sealed, 4 when it is missing.
    public convenience init(forUpdating url: URL, in files: ProtectedFileManager) throws {
        try self.init(url, .readWrite, .writing, in: files)
    }

    /// The file's class.
    public var protection: FileProtectionType { item.protectionClass.fileProtectionType }
}

extension ProtectedFileHandle {
    /// Reads from the offset on, and moves it.
    ///
    /// - Parameter count: how many bytes at most.
    /// - Returns: fewer bytes only at the end; `nil` when there is nothing more.
    /// - Throws: `CocoaError` 257 over `EPERM` when the file is sealed, 259 when it is damaged, 256
    ///   when the handle is closed, or not for reading.
    public func read(upToCount count: Int) throws -> Data? {
        try moving(.reading) { offset throws(ProtectionError) in
            let data = try item.data(at: offset, upToCount: count)
            offset += Int64(data.count)
            return data.isEmpty ? nil : data
        }
    }

    /// Reads everything from the offset on, and moves it to the end.
    ///
    /// - Returns: `nil` when there is nothing more.
    /// - Throws: as `read(upToCount:)`.
    public func readToEnd() throws -> Data? { try read(upToCount: .max) }

    /// Writes at the offset, and moves it.
    ///
    /// - Throws: `CocoaError` 513 over `EPERM` when the file is sealed, 640 when the disk is full,
    ///   512 when the handle is closed, or not for writing.
    public func write(contentsOf data: some DataProtocol) throws {
        let data = (data as? Data) ?? Data(data)
        try moving(.writing) { offset throws(ProtectionError) in
            try item.write(data.span, at: offset)
            offset += Int64(data.count)
        }
    }

    /// Where the next read or write begins, in bytes.
    ///
    /// - Throws: `CocoaError` 256 when the handle is closed.
    public func offset() throws -> UInt64 {
        try moving(.reading) { offset throws(ProtectionError) in
            try item.require([], #function)
            return UInt64(offset)
        }
    }

    /// Moves the offset, also behind the end.
    ///
    /// - Throws: `CocoaError` 256 when the handle is closed, or the offset is larger than a file
    ///   can be.
    public func seek(toOffset offset: UInt64) throws {
        try moving(.reading) { position throws(ProtectionError) in
            try item.require([], #function)
            position = try Self.checked(offset)
        }
    }

    /// Moves the offset to the end.
    ///
    /// - Returns: where that is.
    @discardableResult
    public func seekToEnd() throws -> UInt64 {
        try moving(.reading) { position throws(ProtectionError) in
            try item.require([], #function)
            position = item.size
            return UInt64(position)
        }
    }

    /// Cuts the file, or extends it with zeros, and moves the offset to its new end.
    ///
    /// - Throws: as `write(contentsOf:)`.
    public func truncate(atOffset offset: UInt64) throws {
        try moving(.writing) { position throws(ProtectionError) in
            let size = try Self.checked(offset)
            try item.truncate(to: size)
            position = size
        }
    }

    /// Makes what was written durable. Allowed in every lock state.
    public func synchronize() throws {
        try moving(.writing) { _ throws(ProtectionError) in try item.synchronize(everything: true) }
    }

    /// Closes the handle; calling it again does nothing. A file of class `completeUnlessOpen` opens
    /// again only while unlocked.
    public func close() throws { item.close() }

    private static func checked(_ offset: UInt64) throws(ProtectionError) -> Int64 {
        guard let offset = Int64(exactly: offset) else {
            throw .invalidArgument("an offset is less than 2^63")
        }
        return offset
    }

    private func moving<Result>(
        _ access: FileAccess, _ body: (inout Int64) throws(ProtectionError) -> Result
    ) throws -> Result {
        do throws(ProtectionError) {
            return try position.withLock { position throws(ProtectionError) in
                try body(&position)
            }
        } catch {
            throw files.cocoaError(error, access, at: .url(url))
        }
    }
}
