internal import CFuse
internal import DataProtection
internal import Glibc

/// What libfuse calls: each function unpacks, asks the server, answers.
enum Operations {
    /// All of them. What is left out is answered by libfuse: `flush` with ENOSYS, after which the
    /// kernel asks no more, as nothing is kept here that a close would have to write; locks too,
    /// which are the kernel's own then.
    static func all() -> fuse_lowlevel_ops {
        var operations = fuse_lowlevel_ops()
        addSession(&operations)
        addNames(&operations)
        addAttributes(&operations)
        addFiles(&operations)
        addContent(&operations)
        addFolders(&operations)
        addUserAttributes(&operations)
        return operations
    }

    /// The bytes of a name.
    static func bytes(_ name: UnsafePointer<CChar>?) -> [UInt8] {
        guard let name = unsafe name else { return [] }
        return unsafe Array(UnsafeRawBufferPointer(start: name, count: strlen(name)))
    }

    private static func addSession(_ operations: inout fuse_lowlevel_ops) {
        unsafe operations.`init` = { _, connection in
            guard let connection = unsafe connection else { return }
            unsafe Operations.negotiate(connection)
        }
        unsafe operations.statfs = { pointer, _ in
            guard let request = unsafe FuseRequest(pointer) else { return }
            request.answer { server throws(ProtectionError) in
                request.tell(try server.volume.space())
            }
        }
        unsafe operations.forget = { pointer, number, count in
            guard let request = unsafe FuseRequest(pointer) else { return }
            request.server.nodes.forget(number, count: count)
            request.finish()
        }
        unsafe operations.forget_multi = { pointer, count, items in
            guard let request = unsafe FuseRequest(pointer) else { return }
            let nodes = request.server.nodes
            unsafe UnsafeBufferPointer(start: items, count: count).forEach { item in
                nodes.forget(item.ino, count: item.nlookup)
            }
            request.finish()
        }
    }

    /// What libfuse says of a file system, by its numbers in 'fuse_common.h'.
    enum Ability {
        static let splices: UInt32 = 1 << 7 | 1 << 8 | 1 << 9
        static let readsFoldersWithAttributes: UInt32 = 1 << 13 | 1 << 14
        static let writeBackCache: UInt32 = 1 << 16
        static let clearsPrivileges: UInt32 = 1 << 20
        static let parallelFolders: UInt32 = 1 << 18
    }

    /// Says what this file system does.
    static func negotiate(_ connection: UnsafeMutablePointer<fuse_conn_info>) {
        unsafe connection.pointee.want = wanted(
            capable: connection.pointee.capable, suggested: connection.pointee.want)
        unsafe connection.pointee.max_background = 64
        unsafe connection.pointee.congestion_threshold = 48
    }

    /// What to ask of the kernel.
    ///
    /// - Parameters:
    ///   - capable: what the kernel offers.
    ///   - suggested: what libfuse would ask for.
    static func wanted(capable: UInt32, suggested: UInt32) -> UInt32 {
        var wanted = suggested
        // Spliced pages would have to be copied out of their pipe again.
        wanted &= ~Ability.splices
        // With it, a write that came back as done can be refused later, and is lost.
        wanted &= ~Ability.writeBackCache
        wanted &= ~Ability.clearsPrivileges
        wanted |= capable & (Ability.readsFoldersWithAttributes | Ability.parallelFolders)
        return wanted
    }
}

extension Operations {
    private static func addNames(_ operations: inout fuse_lowlevel_ops) {
        addMaking(&operations)
        unsafe operations.lookup = { pointer, parent, name in
            guard let request = unsafe FuseRequest(pointer) else { return }
            let name = unsafe Operations.bytes(name)
            request.answer { server throws(ProtectionError) in
                request.tell(try server.look(up: name, in: parent))
            }
        }
        unsafe operations.unlink = { pointer, parent, name in
            guard let request = unsafe FuseRequest(pointer) else { return }
            let name = unsafe Operations.bytes(name)
            request.answer { server throws(ProtectionError) in
                try server.nodes.removeFile(name, in: try server.nodes.node(parent))
                request.succeed()
            }
        }
        unsafe operations.rmdir = { pointer, parent, name in
            guard let request = unsafe FuseRequest(pointer) else { return }
            let name = unsafe Operations.bytes(name)
            request.answer { server throws(ProtectionError) in
                try server.nodes.removeFolder(name, in: try server.nodes.node(parent))
                request.succeed()
            }
        }
        unsafe operations.rename = { pointer, parent, name, newParent, newName, flags in
            guard let request = unsafe FuseRequest(pointer) else { return }
            let (name, newName) = unsafe (Operations.bytes(name), Operations.bytes(newName))
            request.answer { server throws(ProtectionError) in
                try server.rename(name, in: parent, to: newName, in: newParent, flags: flags)
                request.succeed()
            }
        }
        unsafe operations.readlink = { pointer, number in
            guard let request = unsafe FuseRequest(pointer) else { return }
            request.answer { server throws(ProtectionError) in
                request.tell(target: try server.nodes.target(of: try server.nodes.node(number)))
            }
        }
    }

    private static func addMaking(_ operations: inout fuse_lowlevel_ops) {
        unsafe operations.mknod = { pointer, parent, name, mode, device in
            guard let request = unsafe FuseRequest(pointer) else { return }
            let name = unsafe Operations.bytes(name)
            request.answer { server throws(ProtectionError) in
                request.tell(
                    try server.makeNode(
                        name, in: parent, mode: mode, deviceNumber: UInt64(device),
                        request.caller), timeout: ReservedName.isReserved(name) ? 0 : 1)
            }
        }
        unsafe operations.mkdir = { pointer, parent, name, mode in
            guard let request = unsafe FuseRequest(pointer) else { return }
            let name = unsafe Operations.bytes(name)
            request.answer { server throws(ProtectionError) in
                request.tell(
                    try server.makeFolder(name, in: parent, mode: mode, request.caller),
                    timeout: ReservedName.isReserved(name) ? 0 : 1)
            }
        }
        unsafe operations.symlink = { pointer, target, parent, name in
            guard let request = unsafe FuseRequest(pointer) else { return }
            let (name, target) = unsafe (Operations.bytes(name), Operations.bytes(target))
            request.answer { server throws(ProtectionError) in
                request.tell(
                    try server.makeSymbolicLink(name, in: parent, target: target, request.caller))
            }
        }
        unsafe operations.link = { pointer, number, parent, name in
            guard let request = unsafe FuseRequest(pointer) else { return }
            let name = unsafe Operations.bytes(name)
            request.answer { server throws(ProtectionError) in
                request.tell(try server.link(number, as: name, in: parent))
            }
        }
    }
}
