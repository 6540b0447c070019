internal import Synchronization

/// How a file is opened.
public struct OpenOptions: OptionSet, Sendable {
    /// The set's bits.
    public let rawValue: UInt8

    /// Makes a set from its bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }

    /// The file will be read.
    public static let read = OpenOptions(rawValue: 1)
    /// The file will be written.
    public static let write = OpenOptions(rawValue: 2)
    /// Every write goes to the end of the file.
    public static let append = OpenOptions(rawValue: 4)
    /// The file is made if it is missing.
    public static let create = OpenOptions(rawValue: 8)
    /// With `create`: the name must be free.
    public static let exclusive = OpenOptions(rawValue: 16)
    /// The file is emptied; it gets a new key.
    public static let truncate = OpenOptions(rawValue: 32)
    /// A symbolic link is refused, with `symbolicLink`, and not followed.
    public static let noFollow = OpenOptions(rawValue: 64)
    /// Every write is durable when it returns. The corresponding C constant is `O_SYNC`.
    public static let synchronized = OpenOptions(rawValue: 128)
    /// Reading and writing.
    public static let readWrite: OpenOptions = [.read, .write]
}

/// An open file of a volume.
///
/// A handle of class `complete` answers `sealed` while the volume is locked, and works again after
/// the unlock. A handle of class `completeUnlessOpen` goes on working; its file's key is wiped
/// when the last handle is closed. Any thread can use it.
public final class ProtectedFile: Sendable {
    let inode: Inode
    private let options: OpenOptions
    private let isOpen = Mutex(true)

    init(inode: Inode, options: OpenOptions) {
        self.inode = inode
        self.options = options
    }

    deinit { close() }

    /// Closes the handle; calling it again does nothing. Content that was not synchronised becomes
    /// durable when the host writes it out, or with `ProtectedVolume.close()`.
    public func close() {
        if isOpen.withLock({ $0 }) { inode.core.seam.begin(#function) }
        let wasOpen = isOpen.withLock { isOpen in
            defer { isOpen = false }
            return isOpen
        }
        guard wasOpen else { return }
        let protectionClass = inode.protectionClass
        if inode.core.inodes.release(inode), protectionClass == .completeUnlessOpen {
            inode.core.workspaces.wipe()
        }
    }

    /// The file's class.
    public var protectionClass: ProtectionClass { inode.protectionClass }

    /// The file's size, in bytes. Known in every lock state.
    public var size: Int64 { inode.state.withSharedLock { $0.size } }

    /// Reads at an offset.
    ///
    /// - Parameters:
    ///   - offset: where to begin, in bytes.
    ///   - count: how many bytes at most.
    /// - Returns: fewer bytes than asked only at the end of the file.
    /// - Throws: `sealed`, `damaged`, `wrongAccess`, `closed`.
    public func read(at offset: Int64, count: Int) throws(ProtectionError) -> [UInt8] {
        guard offset >= 0, count >= 0 else {
            throw .invalidArgument("an offset and a count are not negative")
        }
        try require(.read)
        let available = Int(max(0, min(Int64(count), size - offset)))
        var bytes = [UInt8](repeating: 0, count: available)
        var span = bytes.mutableSpan
        let readCount = try inode.read(into: &span, at: offset)
        bytes.removeLast(available - readCount)
        return bytes
    }

    /// Reads at an offset into a buffer.
    ///
    /// - Parameters:
    ///   - bytes: receives what is read; the rest of it is not touched.
    ///   - offset: where to begin, in bytes.
    /// - Returns: how many bytes were read; fewer than the buffer holds only at the end of the
    ///   file.
    /// - Throws: `sealed`, `damaged`, `wrongAccess`, `closed`. The buffer then holds verified
    ///   bytes or zeros.
    public func read(
        into bytes: inout MutableSpan<UInt8>, at offset: Int64
    ) throws(ProtectionError) -> Int {
        try require(.read)
        return try inode.read(into: &bytes, at: offset)
    }

    /// Writes at an offset, or at the end of a file that was opened to append.
    ///
    /// - Parameters:
    ///   - bytes: what to write.
    ///   - offset: where to begin, in bytes; beyond the end, what lies between becomes zeros.
    /// - Throws: `sealed`, `noSpace`, `damaged`, `wrongAccess`, `closed`.
    public func write(_ bytes: [UInt8], at offset: Int64) throws(ProtectionError) {
        try write(bytes.span, at: offset)
    }

    /// Writes a span; see `write(_:at:)`.
    public func write(_ bytes: Span<UInt8>, at offset: Int64) throws(ProtectionError) {
        try require(.write)
        try inode.write(bytes, at: options.contains(.append) ? nil : offset)
        if options.contains(.synchronized) { try inode.sync(everything: true) }
    }

    /// Writes what a program changed through a mapping before the volume was locked; the kernel
    /// hands it over when the mapping is taken away, while the file's key is still there.
    ///
    /// - Throws: as `write(_:at:)`; `sealed` when the key is gone.
    package func writeBack(_ bytes: Span<UInt8>, at offset: Int64) throws(ProtectionError) {
        try require(.write)
        try inode.write(bytes, at: offset, isWriteBack: true)
    }

    /// Writes at the end, wherever that is at the moment of writing.
    ///
    /// - Returns: where it was written.
    @discardableResult
    public func append(_ bytes: [UInt8]) throws(ProtectionError) -> Int64 {
        try require(.write)
        let offset = try inode.write(bytes.span, at: nil)
        if options.contains(.synchronized) { try inode.sync(everything: true) }
        return offset
    }

    /// Cuts the file, or extends it with zeros.
    ///
    /// - Parameter size: the new size, in bytes. Zero gives the file a new key.
    /// - Throws: `sealed`, `noSpace`, `damaged`, `wrongAccess`, `closed`.
    public func truncate(to size: Int64) throws(ProtectionError) {
        try require(.write)
        try inode.truncate(to: size)
    }

    /// Makes what was written durable. Allowed in every lock state.
    ///
    /// - Parameter everything: whether modes, owners and times become durable, too. The
    ///   corresponding C functions are `fsync` and `fdatasync`.
    public func synchronize(everything: Bool = true) throws(ProtectionError) {
        try require([])
        try inode.sync(everything: everything)
    }

    /// Gives the file another class; see `ProtectedVolume.setProtectionClass(_:of:)`.
    public func setProtectionClass(_ protectionClass: ProtectionClass) throws(ProtectionError) {
        try require([])
        try inode.setClass(protectionClass)
    }

    /// Begins an operation, for which the handle must be open and opened for it.
    func require(
        _ wanted: OpenOptions, _ operation: String = #function
    ) throws(ProtectionError) {
        inode.core.seam.begin(operation)
        guard isOpen.withLock({ $0 }) else { throw .closedFile }
        guard options.isSuperset(of: wanted) else {
            throw .wrongAccess(writing: wanted.contains(.write))
        }
    }
}
