internal import CFuse
internal import DataProtection
internal import Glibc
internal import Synchronization

extension Operations {
    static func addFolders(_ operations: inout fuse_lowlevel_ops) {
        unsafe operations.opendir = { pointer, number, information in
            guard let request = unsafe FuseRequest(pointer),
                let information = unsafe information
            else { return }
            request.answer { server throws(ProtectionError) in
                unsafe request.tell(
                    opened: FolderListing(try server.nodes.node(number)), information)
            }
        }
        unsafe operations.releasedir = { pointer, _, information in
            guard let request = unsafe FuseRequest(pointer) else { return }
            _ = unsafe FolderListing.take(information)
            request.succeed()
        }
        unsafe operations.fsyncdir = { pointer, number, _, _ in
            guard let request = unsafe FuseRequest(pointer) else { return }
            request.answer { server throws(ProtectionError) in
                try server.nodes.synchronizeFolder(try server.nodes.node(number))
                request.succeed()
            }
        }
        unsafe operations.readdir = { pointer, _, count, offset, information in
            guard let request = unsafe FuseRequest(pointer) else { return }
            guard let listing = unsafe FolderListing.of(information) else {
                return request.fail(EBADF)
            }
            Operations.list(request, listing, count, Int(offset), withAttributes: false)
        }
        unsafe operations.readdirplus = { pointer, _, count, offset, information in
            guard let request = unsafe FuseRequest(pointer) else { return }
            guard let listing = unsafe FolderListing.of(information) else {
                return request.fail(EBADF)
            }
            Operations.list(request, listing, count, Int(offset), withAttributes: true)
        }
    }

    private static func list(
        _ request: FuseRequest, _ listing: FolderListing, _ count: Int, _ offset: Int,
        withAttributes: Bool
    ) {
        let buffer = unsafe UnsafeMutableRawBufferPointer(
            start: FuseWorker.current.reply, count: min(count, FuseWorker.bufferByteCount))
        request.answer { server throws(ProtectionError) in
            if offset == 0 {
                let entries = try server.nodes.list(listing.node)
                listing.entries.withLock { $0 = entries }
            }
            var writer = unsafe ListingWriter(request: request, buffer: buffer, server: server)
            let entries = listing.entries.withLock { $0 }
            var next = max(0, offset)
            while next < entries.count + 2 {
                let fits = writer.write(
                    next < 2 ? nil : entries[next - 2], at: next, of: listing,
                    withAttributes: withAttributes)
                guard fits else { break }
                next += 1
            }
            unsafe request.tell(UnsafeRawBufferPointer(rebasing: buffer[..<writer.byteCount]))
        }
    }
}

/// Puts a listing's lines into a buffer.
@safe private struct ListingWriter {
    let request: FuseRequest
    let buffer: UnsafeMutableRawBufferPointer
    let server: MountServer
    /// How much of the buffer is full.
    var byteCount = 0

    /// - Parameter entry: `nil` for `.` and `..`, which are the first two.
    /// - Returns: whether there was room for it.
    mutating func write(
        _ entry: FolderEntry?, at index: Int, of listing: FolderListing, withAttributes: Bool
    ) -> Bool {
        let rest = unsafe UnsafeMutableRawBufferPointer(rebasing: buffer[byteCount...])
        var status = stat()
        guard let entry else {
            status.st_mode = S_IFDIR
            status.st_ino = ino_t(server.nodes.inodeNumber(of: listing.node, isAbove: index == 1))
            let name = Array((index == 0 ? "." : "..").utf8)
            return unsafe note(
                withAttributes
                    ? request.add(name, nil, status, next: index + 1, to: rest)
                    : request.add(name, status, next: index + 1, to: rest), rest.count)
        }
        status.st_mode = entry.kind.modeBits
        status.st_ino = ino_t(entry.identity)
        guard withAttributes else {
            return unsafe note(
                request.add(entry.nameBytes, status, next: index + 1, to: rest), rest.count)
        }
        // A name that is gone by now, or cannot be looked up, is told without attributes: whoever
        // asks for them hears why.
        let found = try? server.look(up: entry.nameBytes, in: listing.node.number)
        let length = unsafe request.add(
            entry.nameBytes, found, status, next: index + 1, to: rest)
        guard note(length, rest.count) else {
            if let found { server.nodes.forget(found.node.number, count: 1) }
            return false
        }
        return true
    }

    private mutating func note(_ length: Int, _ room: Int) -> Bool {
        guard length <= room else { return false }
        byteCount += length
        return true
    }
}
