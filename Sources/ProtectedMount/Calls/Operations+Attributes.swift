internal import CFuse
internal import DataProtection
internal import Glibc

extension Operations {
    static func addAttributes(_ operations: inout fuse_lowlevel_ops) {
        unsafe operations.getattr = { pointer, number, _ in
            guard let request = unsafe FuseRequest(pointer) else { return }
            request.answer { server throws(ProtectionError) in
                request.tell(try server.nodes.attributes(of: try server.nodes.node(number)))
            }
        }
        unsafe operations.setattr = { pointer, number, status, wanted, information in
            guard let request = unsafe FuseRequest(pointer), let status = unsafe status else {
                return
            }
            let wanted = UInt32(bitPattern: wanted)
            let change = unsafe Operations.change(status.pointee, wanted)
            let size = unsafe wanted & Wanted.size != 0 ? Int64(status.pointee.st_size) : nil
            let handle = unsafe FileHandle.of(information)
            let clears = FuseWorker.current.extras.clearsPrivileges
            request.answer { server throws(ProtectionError) in
                request.tell(
                    try server.setAttributes(
                        number, change, size: size, through: handle, clearsPrivileges: clears))
            }
        }
    }

    /// Which attributes are to be changed, by the numbers of 'fuse_lowlevel.h'.
    private enum Wanted {
        static let mode: UInt32 = 1 << 0
        static let owner: UInt32 = 1 << 1
        static let group: UInt32 = 1 << 2
        static let size: UInt32 = 1 << 3
        static let accessTime: UInt32 = 1 << 4
        static let modificationTime: UInt32 = 1 << 5
        static let accessTimeNow: UInt32 = 1 << 7
        static let modificationTimeNow: UInt32 = 1 << 8
    }

    private static func change(_ status: stat, _ wanted: UInt32) -> AttributeChange {
        var change = AttributeChange()
        if wanted & Wanted.mode != 0 { change.mode = status.st_mode & 0o7777 }
        if wanted & Wanted.owner != 0 { change.owner = status.st_uid }
        if wanted & Wanted.group != 0 { change.group = status.st_gid }
        if wanted & Wanted.accessTimeNow != 0 {
            change.accessTime = .now
        } else if wanted & Wanted.accessTime != 0 {
            change.accessTime = .time(FileTime(status.st_atim))
        }
        if wanted & Wanted.modificationTimeNow != 0 {
            change.modificationTime = .now
        } else if wanted & Wanted.modificationTime != 0 {
            change.modificationTime = .time(FileTime(status.st_mtim))
        }
        return change
    }

    static func addUserAttributes(_ operations: inout fuse_lowlevel_ops) {
        unsafe operations.setxattr = { pointer, number, name, value, count, flags in
            guard let request = unsafe FuseRequest(pointer) else { return }
            let name = unsafe Operations.bytes(name)
            let value = unsafe Array(UnsafeRawBufferPointer(start: value, count: count))
            request.answer { server throws(ProtectionError) in
                try server.setAttribute(name, to: value, of: number, flags: flags)
                request.succeed()
            }
        }
        unsafe operations.getxattr = { pointer, number, name, count in
            guard let request = unsafe FuseRequest(pointer) else { return }
            let name = unsafe Operations.bytes(name)
            request.answer { server throws(ProtectionError) in
                request.tell(value: try server.attribute(name, of: number), limit: count)
            }
        }
        unsafe operations.listxattr = { pointer, number, count in
            guard let request = unsafe FuseRequest(pointer) else { return }
            request.answer { server throws(ProtectionError) in
                request.tell(value: try server.attributeNames(of: number), limit: count)
            }
        }
        unsafe operations.removexattr = { pointer, number, name in
            guard let request = unsafe FuseRequest(pointer) else { return }
            let name = unsafe Operations.bytes(name)
            request.answer { server throws(ProtectionError) in
                try server.removeAttribute(name, of: number)
                request.succeed()
            }
        }
    }
}
