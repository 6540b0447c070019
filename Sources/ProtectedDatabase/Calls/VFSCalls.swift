internal import CSQLite
internal import DataProtection

/// The functions that SQLite calls about names: they unpack pointers, ask the VFS, and answer.
enum VFSCalls {
    static let pathByteCountMaximum: Int32 = 4096

    static func install(on entry: UnsafeMutablePointer<sqlite3_vfs>) {
        unsafe entry.pointee.xOpen = { vfs, name, file, flags, outFlags in
            CallDepth.within {
                unsafe VFSCalls.open(vfs, name, file, FileFlags(rawValue: flags), outFlags)
            }
        }
        unsafe entry.pointee.xDelete = { vfs, name, syncsFolder in
            let (vfs, path) = unsafe (VFSCalls.target(vfs), VFSCalls.text(name))
            return vfs.attempt(else: ResultCode.delete) { () throws(ProtectionError) in
                let wasThere = try vfs.remove(path, durably: syncsFolder != 0)
                return wasThere ? ResultCode.ok : ResultCode.nothingToDelete
            }
        }
        unsafe entry.pointee.xAccess = { vfs, name, question, answer in
            let (vfs, path) = unsafe (VFSCalls.target(vfs), VFSCalls.text(name))
            return vfs.attempt(else: ResultCode.access) { () throws(ProtectionError) in
                let isThere = try vfs.isThere(path, countsEmpty: question != SQLITE_ACCESS_EXISTS)
                unsafe answer?.pointee = isThere ? 1 : 0
                return ResultCode.ok
            }
        }
        unsafe entry.pointee.xFullPathname = { vfs, name, count, out in
            unsafe VFSCalls.fullPathname(
                VFSCalls.target(vfs), VFSCalls.text(name), Int(count), out)
        }
        unsafe entry.pointee.xGetLastError = { vfs, count, out in
            let failure = unsafe VFSCalls.target(vfs).lastFailure
            if let failure, count > 0 {
                unsafe VFSCalls.write(failure.description, Int(count), out)
            }
            return failure?.errorNumber ?? 0
        }
    }

    private static func target(_ vfs: UnsafeMutablePointer<sqlite3_vfs>?) -> DatabaseVFS {
        unsafe Unmanaged<DatabaseVFS>.fromOpaque(vfs!.pointee.pAppData).takeUnretainedValue()
    }

    private static func text(_ name: UnsafePointer<CChar>?) -> String {
        unsafe name.map { unsafe String(cString: $0) } ?? ""
    }

    private static func open(
        _ vfs: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
        _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: FileFlags,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        // SQLite closes what has methods, and nothing else.
        unsafe file!.pointee.pMethods = nil
        let vfs = unsafe target(vfs)
        var request = FileRequest(
            path: unsafe name.map { unsafe String(cString: $0) }, flags: flags)
        switch flags.role {
        case .database:
            request.className = unsafe parameter("class", of: name)
            request.sharesCache = unsafe parameter("cache", of: name) == "shared"
        case .journal, .wal:
            if let name = unsafe name {
                request.database = unsafe text(sqlite3_filename_database(name))
            }
        case .superJournal, .temporary: break
        }
        do throws(ProtectionError) {
            let opened = try vfs.open(request)
            unsafe FileCalls.attach(opened, to: file!)
            unsafe outFlags?.pointee = opened.flags.rawValue
            return ResultCode.ok
        } catch {
            return vfs.answer(error, else: ResultCode.cannotOpen)
        }
    }

    private static func parameter(_ key: String, of name: UnsafePointer<CChar>?) -> String? {
        guard let name = unsafe name, let value = unsafe sqlite3_uri_parameter(name, key) else {
            return nil
        }
        return unsafe String(cString: value)
    }

    private static func fullPathname(
        _ vfs: DatabaseVFS, _ name: String, _ count: Int, _ out: UnsafeMutablePointer<CChar>?
    ) -> Int32 {
        vfs.attempt(else: ResultCode.cannotOpen) { () throws(ProtectionError) in
            let (path, followsLink) = try vfs.volume().canonicalPath(of: name)
            guard path.utf8.count < count else { return ResultCode.cannotOpen }
            unsafe write(path, count, out)
            return followsLink ? ResultCode.symbolicLinkFollowed : ResultCode.ok
        }
    }

    /// Writes a text with its NUL, cut where the buffer ends.
    private static func write(_ text: String, _ count: Int, _ out: UnsafeMutablePointer<CChar>?) {
        guard let out = unsafe out else { return }
        let bytes = text.utf8CString.dropLast().prefix(count - 1)
        for (index, byte) in bytes.enumerated() { unsafe out[index] = byte }
        unsafe out[bytes.count] = 0
    }
}

extension DatabaseVFS {
    /// Notes a refusal and gives SQLite its code.
    func answer(_ error: ProtectionError, else code: Int32) -> Int32 {
        note(error)
        return ResultCode.of(error, else: code)
    }

    /// Runs a call that can be refused.
    func attempt(else code: Int32, _ body: () throws(ProtectionError) -> Int32) -> Int32 {
        CallDepth.within {
            do throws(ProtectionError) {
                return try body()
            } catch {
                return answer(error, else: code)
            }
        }
    }
}
