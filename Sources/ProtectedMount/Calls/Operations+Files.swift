internal import CFuse
internal import DataProtection
internal import Glibc
internal import Synchronization

extension Operations {
    static func addFiles(_ operations: inout fuse_lowlevel_ops) {
        unsafe operations.create = { pointer, parent, name, mode, information in
            guard let request = unsafe FuseRequest(pointer),
                let information = unsafe information
            else { return }
            let name = unsafe Operations.bytes(name)
            let flags = unsafe information.pointee.flags
            request.answer { server throws(ProtectionError) in
                let made = try server.create(
                    name, in: parent, mode: mode, flags: flags, request.caller)
                unsafe request.tell(
                    made.entry, timeout: made.timeout, opened: made.handle, information)
            }
        }
        unsafe operations.open = { pointer, number, information in
            guard let request = unsafe FuseRequest(pointer),
                let information = unsafe information
            else { return }
            let flags = unsafe information.pointee.flags
            let clears = FuseWorker.current.extras.clearsPrivileges
            request.answer { server throws(ProtectionError) in
                let handle = try server.open(number, flags: flags, clearsPrivileges: clears)
                unsafe request.tell(opened: handle, information)
            }
        }
        unsafe operations.release = { pointer, _, information in
            guard let request = unsafe FuseRequest(pointer) else { return }
            if let handle = unsafe FileHandle.take(information) {
                request.server.close(handle)
            }
            request.succeed()
        }
        unsafe operations.fsync = { pointer, _, dataOnly, information in
            guard let request = unsafe FuseRequest(pointer) else { return }
            guard let handle = unsafe FileHandle.of(information) else { return request.fail(EBADF) }
            request.answer { server throws(ProtectionError) in
                try handle.file.synchronize(everything: dataOnly == 0)
                request.succeed()
            }
        }
    }

    static func addContent(_ operations: inout fuse_lowlevel_ops) {
        unsafe operations.read = { pointer, _, count, offset, information in
            guard let request = unsafe FuseRequest(pointer) else { return }
            guard let handle = unsafe FileHandle.of(information) else { return request.fail(EBADF) }
            Operations.read(request, handle, count: count, at: Int64(offset))
        }
        unsafe operations.write = { pointer, _, bytes, count, offset, information in
            guard let request = unsafe FuseRequest(pointer) else { return }
            guard let handle = unsafe FileHandle.of(information),
                let information = unsafe information
            else { return request.fail(EBADF) }
            let isWriteBack = unsafe information.pointee.writepage != 0
            unsafe Operations.write(
                request, handle, UnsafeRawBufferPointer(start: bytes, count: count),
                at: Int64(offset), isWriteBack: isWriteBack)
        }
        unsafe operations.fallocate = { pointer, _, mode, offset, count, information in
            guard let request = unsafe FuseRequest(pointer) else { return }
            guard let handle = unsafe FileHandle.of(information) else { return request.fail(EBADF) }
            request.answer { server throws(ProtectionError) in
                try server.allocate(handle, mode: mode, offset: Int64(offset), count: Int64(count))
                request.succeed()
            }
        }
        unsafe operations.lseek = { pointer, _, offset, whence, information in
            guard let request = unsafe FuseRequest(pointer) else { return }
            guard let handle = unsafe FileHandle.of(information) else { return request.fail(EBADF) }
            let (data, hole): (Int32, Int32) = (3, 4)
            guard whence == data || whence == hole else { return request.fail(EINVAL) }
            request.answer { server throws(ProtectionError) in
                request.tell(
                    offset: try server.seek(handle, from: Int64(offset), toData: whence == data))
            }
        }
    }

    private static func read(
        _ request: FuseRequest, _ handle: FileHandle, count: Int, at offset: Int64
    ) {
        let worker = FuseWorker.current
        let wanted = min(count, FuseWorker.bufferByteCount)
        let isSecret = handle.isSecret
        worker.beginContent()
        let buffer = unsafe UnsafeMutableRawBufferPointer(start: worker.reply, count: wanted)
        defer {
            handle.node.mayBeCached.store(true, ordering: .sequentiallyConsistent)
            unsafe worker.endContent(wiping: isSecret ? buffer : nil)
        }
        request.answer { _ throws(ProtectionError) in
            var span = unsafe MutableSpan<UInt8>(
                _unsafeStart: worker.reply.assumingMemoryBound(to: UInt8.self), count: wanted)
            let readCount = try handle.file.read(into: &span, at: offset)
            unsafe request.tell(UnsafeRawBufferPointer(rebasing: buffer[..<readCount]))
        }
    }

    private static func write(
        _ request: FuseRequest, _ handle: FileHandle, _ bytes: UnsafeRawBufferPointer,
        at offset: Int64, isWriteBack: Bool
    ) {
        let worker = FuseWorker.current
        worker.beginContent()
        let isSecret = handle.isSecret
        defer {
            // The request's buffer is this worker's own, and nobody reads it any more.
            let written = unsafe UnsafeMutableRawBufferPointer(mutating: bytes)
            handle.node.mayBeCached.store(true, ordering: .sequentiallyConsistent)
            unsafe worker.endContent(wiping: isSecret ? written : nil)
        }
        let clears = worker.extras.clearsPrivileges
        request.answer { server throws(ProtectionError) in
            if clears { try server.clearPrivileges(of: handle.node) }
            let span = unsafe Span<UInt8>(
                _unsafeStart: bytes.assumingMemoryBound(to: UInt8.self).baseAddress!,
                count: bytes.count)
            if isWriteBack {
                try handle.file.writeBack(span, at: offset)
            } else {
                try handle.file.write(span, at: offset)
            }
            request.tell(written: bytes.count)
        }
    }
}
