internal import CFuse
internal import DataProtection
internal import Glibc

/// One request of the kernel, and the ways to answer it; each is answered once.
@safe struct FuseRequest {
    private let pointer: OpaquePointer

    init?(_ pointer: OpaquePointer?) {
        guard let pointer = unsafe pointer else { return nil }
        unsafe self.pointer = pointer
    }

    /// Who serves it.
    var server: MountServer {
        guard let data = unsafe fuse_req_userdata(pointer) else {
            preconditionFailure("the session was made with a server")
        }
        return unsafe Unmanaged<MountServer>.fromOpaque(data).takeUnretainedValue()
    }

    /// Who asks.
    var caller: (user: UInt32, group: UInt32) {
        guard let context = unsafe fuse_req_ctx(pointer) else { return (0, 0) }
        return unsafe (context.pointee.uid, context.pointee.gid)
    }

    /// Runs a body, and answers with its error's number if it throws.
    func answer(_ body: (MountServer) throws(ProtectionError) -> Void) {
        do throws(ProtectionError) {
            try body(server)
        } catch {
            fail(server.number(of: error))
        }
    }

    /// Says that it failed, or with 0 that it is done.
    func fail(_ number: Int32) { _ = unsafe fuse_reply_err(pointer, number) }

    func succeed() { fail(0) }

    /// Needs no answer.
    func finish() { unsafe fuse_reply_none(pointer) }

    /// Tells of an entry that was looked up or made.
    func tell(_ entry: NodeEntry, timeout: Double = MountServer.timeout) {
        var parameter = Self.parameter(entry, timeout: timeout)
        guard unsafe fuse_reply_entry(pointer, &parameter) != 0 else { return }
        // Nobody heard it, so nobody will forget it.
        server.nodes.forget(entry.node.number, count: 1)
    }

    static func parameter(_ entry: NodeEntry, timeout: Double) -> fuse_entry_param {
        var parameter = fuse_entry_param()
        parameter.ino = entry.node.number
        parameter.attr = entry.attributes.status
        parameter.attr_timeout = MountServer.timeout
        parameter.entry_timeout = timeout
        return parameter
    }

    func tell(_ attributes: ItemAttributes) {
        var status = attributes.status
        _ = unsafe fuse_reply_attr(pointer, &status, MountServer.timeout)
    }

    /// Tells of a file that was made and is open.
    func tell(
        _ entry: NodeEntry, timeout: Double, opened handle: FileHandle,
        _ information: UnsafeMutablePointer<fuse_file_info>
    ) {
        unsafe handle.fill(information)
        var parameter = Self.parameter(entry, timeout: timeout)
        guard unsafe fuse_reply_create(pointer, &parameter, information) != 0 else { return }
        unsafe FileHandle.take(information)?.file.close()
        server.nodes.forget(entry.node.number, count: 1)
    }

    func tell(opened handle: FileHandle, _ information: UnsafeMutablePointer<fuse_file_info>) {
        unsafe handle.fill(information)
        guard unsafe fuse_reply_open(pointer, information) != 0 else { return }
        unsafe FileHandle.take(information)?.file.close()
    }

    func tell(opened listing: FolderListing, _ information: UnsafeMutablePointer<fuse_file_info>) {
        // The kernel keeps names until it changes the folder, or sees that its time has changed.
        unsafe information.pointee.cache_readdir = 1
        unsafe information.pointee.keep_cache = 1
        unsafe information.pointee.fh = UInt64(
            UInt(bitPattern: Unmanaged.passRetained(listing).toOpaque()))
        guard unsafe fuse_reply_open(pointer, information) != 0 else { return }
        _ = unsafe FolderListing.take(information)
    }

    func tell(written count: Int) { _ = unsafe fuse_reply_write(pointer, count) }

    func tell(offset: Int64) { _ = unsafe fuse_reply_lseek(pointer, Int(offset)) }

    func tell(_ bytes: UnsafeRawBufferPointer) {
        _ = unsafe fuse_reply_buf(
            pointer, bytes.baseAddress?.assumingMemoryBound(to: CChar.self), bytes.count)
    }

    /// Tells a value, or how long it is to somebody who asks for that first.
    func tell(value: [UInt8], limit: Int) {
        if limit == 0 {
            _ = unsafe fuse_reply_xattr(pointer, value.count)
        } else if value.count > limit {
            fail(ERANGE)
        } else {
            unsafe value.withUnsafeBytes { unsafe tell($0) }
        }
    }

    /// Tells where a link leads.
    func tell(target: [UInt8]) {
        unsafe (target + [0]).withUnsafeBytes { bytes in
            _ = unsafe fuse_reply_readlink(
                pointer, bytes.baseAddress?.assumingMemoryBound(to: CChar.self))
        }
    }

    func tell(_ space: VolumeSpace) {
        var status = statvfs()
        status.f_bsize = UInt(space.blockByteCount)
        status.f_frsize = UInt(space.blockByteCount)
        status.f_blocks = UInt(space.blockCount)
        status.f_bfree = UInt(space.freeBlockCount)
        status.f_bavail = UInt(space.availableBlockCount)
        status.f_files = UInt(space.inodeCount)
        status.f_ffree = UInt(space.freeInodeCount)
        status.f_favail = UInt(space.freeInodeCount)
        status.f_namemax = 255
        _ = unsafe fuse_reply_statfs(pointer, &status)
    }
}

extension FuseRequest {
    /// Adds one line of a listing to a buffer.
    ///
    /// - Returns: how long the line is; longer than the buffer when it does not fit, and is not in
    ///   it.
    func add(
        _ name: [UInt8], _ status: stat, next: Int, to buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        var status = status
        return unsafe (name + [0]).withUnsafeBytes { name in
            unsafe fuse_add_direntry(
                pointer, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count,
                name.baseAddress?.assumingMemoryBound(to: CChar.self), &status, off_t(next))
        }
    }

    /// The same with what a look-up tells; `nil` for a line that counts as none.
    func add(
        _ name: [UInt8], _ entry: NodeEntry?, _ status: stat, next: Int,
        to buffer: UnsafeMutableRawBufferPointer
    ) -> Int {
        var parameter = fuse_entry_param()
        if let entry {
            parameter = Self.parameter(entry, timeout: MountServer.timeout)
        } else {
            parameter.attr = status
        }
        return unsafe (name + [0]).withUnsafeBytes { name in
            unsafe fuse_add_direntry_plus(
                pointer, buffer.baseAddress?.assumingMemoryBound(to: CChar.self), buffer.count,
                name.baseAddress?.assumingMemoryBound(to: CChar.self), &parameter, off_t(next))
        }
    }
}
