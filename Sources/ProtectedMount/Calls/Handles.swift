internal import CFuse
internal import DataProtection
internal import Synchronization

/// An open file, as the kernel's number for it leads to it.
final class FileHandle: Sendable {
    let file: ProtectedFile
    let node: VolumeNode

    init(_ file: ProtectedFile, _ node: VolumeNode) {
        self.file = file
        self.node = node
    }

    /// Whether what passes through a buffer must not stay there.
    var isSecret: Bool {
        file.protectionClass.isStricter(than: .completeUntilFirstUserAuthentication)
    }

    /// Gives the kernel a number for it; the kernel gives it back once, when the last of its users
    /// has closed it.
    func fill(_ information: UnsafeMutablePointer<fuse_file_info>) {
        unsafe information.pointee.fh = UInt64(
            UInt(bitPattern: Unmanaged.passRetained(self).toOpaque()))
    }

    /// The handle of a request; `nil` for a request without one.
    static func of(_ information: UnsafeMutablePointer<fuse_file_info>?) -> FileHandle? {
        guard let information = unsafe information,
            let pointer = unsafe UnsafeRawPointer(bitPattern: UInt(information.pointee.fh))
        else { return nil }
        return unsafe Unmanaged<FileHandle>.fromOpaque(pointer).takeUnretainedValue()
    }

    /// The handle, which nobody uses any more.
    static func take(_ information: UnsafeMutablePointer<fuse_file_info>?) -> FileHandle? {
        guard let information = unsafe information,
            let pointer = unsafe UnsafeRawPointer(bitPattern: UInt(information.pointee.fh))
        else { return nil }
        unsafe information.pointee.fh = 0
        return unsafe Unmanaged<FileHandle>.fromOpaque(pointer).takeRetainedValue()
    }
}

/// An open folder: what was in it when its listing began.
final class FolderListing: Sendable {
    let node: VolumeNode
    let entries = Mutex<[FolderEntry]>([])

    init(_ node: VolumeNode) { self.node = node }

    static func of(_ information: UnsafeMutablePointer<fuse_file_info>?) -> FolderListing? {
        guard let information = unsafe information,
            let pointer = unsafe UnsafeRawPointer(bitPattern: UInt(information.pointee.fh))
        else { return nil }
        return unsafe Unmanaged<FolderListing>.fromOpaque(pointer).takeUnretainedValue()
    }

    static func take(_ information: UnsafeMutablePointer<fuse_file_info>?) -> FolderListing? {
        guard let information = unsafe information,
            let pointer = unsafe UnsafeRawPointer(bitPattern: UInt(information.pointee.fh))
        else { return nil }
        unsafe information.pointee.fh = 0
        return unsafe Unmanaged<FolderListing>.fromOpaque(pointer).takeRetainedValue()
    }
}
