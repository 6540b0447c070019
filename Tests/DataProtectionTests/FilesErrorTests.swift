import DataProtection
import Foundation
import Synchronization
import Testing

/// What the errors of the Foundation-shaped calls say.
@Suite struct `An error of a file call` {
    struct Row: Sendable {
        let code: ProtectionError.Code
        let reading: Int
        let writing: Int
        let posix: Int32
    }

    static let rows: [Row] = [
        Row(code: .sealed, reading: 257, writing: 513, posix: EPERM),
        Row(code: .forbidden, reading: 257, writing: 513, posix: EACCES),
        Row(code: .missing, reading: 260, writing: 4, posix: ENOENT),
        Row(code: .damaged, reading: 259, writing: 259, posix: EIO),
        Row(code: .exists, reading: 516, writing: 516, posix: EEXIST),
        Row(code: .noSpace, reading: 640, writing: 640, posix: ENOSPC),
        Row(code: .invalidName, reading: 258, writing: 514, posix: EINVAL),
        Row(code: .busy, reading: 255, writing: 255, posix: EBUSY),
        Row(code: .unsuitableHost, reading: 3328, writing: 3328, posix: EOPNOTSUPP),
        Row(code: .notSupported, reading: 3328, writing: 3328, posix: EOPNOTSUPP),
        Row(code: .wrongPasscode, reading: 256, writing: 512, posix: EPERM),
        Row(code: .throttled, reading: 256, writing: 512, posix: EPERM),
        Row(code: .notAVolume, reading: 256, writing: 512, posix: EINVAL),
        Row(code: .newerFormat, reading: 256, writing: 512, posix: EINVAL),
        Row(code: .deviceKey, reading: 256, writing: 512, posix: EACCES),
        Row(code: .notEmpty, reading: 256, writing: 512, posix: ENOTEMPTY),
        Row(code: .isFolder, reading: 256, writing: 512, posix: EISDIR),
        Row(code: .notFolder, reading: 256, writing: 512, posix: ENOTDIR),
        Row(code: .symbolicLink, reading: 256, writing: 512, posix: ELOOP),
        Row(code: .noAttribute, reading: 256, writing: 512, posix: ENODATA),
        Row(code: .invalidArgument, reading: 256, writing: 512, posix: EINVAL),
        Row(code: .wrongAccess, reading: 256, writing: 512, posix: EBADF),
        Row(code: .closed, reading: 256, writing: 512, posix: EBADF),
        Row(code: .keyMemory, reading: 256, writing: 512, posix: ENOMEM),
        Row(code: .host, reading: 256, writing: 512, posix: EIO),
    ]

    @Test func `of each kind is in the table`() {
        #expect(Set(Self.rows.map(\.code)) == Set(ProtectionError.Code.allCases))
        #expect(Self.rows.count == ProtectionError.Code.allCases.count)
    }

    @Test(arguments: rows) func `has Foundation's number, the host's, and its cause`(row: Row) {
        let cause = ProtectionError(row.code, "it is so", remedy: "do this", place: "a/b")
        let url = URL(filePath: "/proc/x/a/b")
        for access in FileAccess.allCases {
            let error = CocoaError(cause, access, path: "/proc/x/a/b", url: url)
            #expect(error.code.rawValue == (access == .reading ? row.reading : row.writing))
            #expect((error.underlying as? POSIXError)?.code.rawValue == row.posix)
            #expect(error.protectionError == cause)
            #expect(error.isLocked == (row.code == .sealed))
            #expect(error.filePath == "/proc/x/a/b")
            #expect(error.url == url)
            #expect(error.localizedDescription == "a/b: it is so; do this")
            // *Locked* has numbers that nothing else has.
            let isPermission = [257, 513].contains(error.code.rawValue)
            #expect((isPermission && row.posix == EPERM) == error.isLocked)
        }
    }

    @Test func `keeps its cause through NSError`() {
        let cause = ProtectionError(.sealed, "it is sealed", remedy: "unlock")
        let error = CocoaError(cause, .reading, path: "/x") as NSError
        #expect(error.domain == NSCocoaErrorDomain)
        #expect(error.code == NSFileReadNoPermissionError)
        #expect(error.localizedRecoverySuggestion == "unlock")
        #expect(error.localizedFailureReason == "it is sealed")
        #expect((error as any Error).protectionError == cause)
        #expect((error as any Error).isLocked)
        let posix = (error.userInfo[NSUnderlyingErrorKey] as? any Error).map { $0 as NSError }
        #expect(posix?.domain == NSPOSIXErrorDomain)
        #expect(posix?.code == Int(EPERM))
    }

    @Test func `of the engine itself is told the same way`() throws {
        let rig = try VolumeRig()
        try rig.make("f", [1], .complete)
        rig.volume.lock()
        do {
            _ = try rig.volume.read("f")
            Issue.record("it was read")
        } catch {
            #expect(error.isLocked)
            #expect(error.protectionError == error)
            #expect(error.localizedDescription == error.description)
        }
    }

    @Test func `of somebody else is never locked`() {
        let others: [any Error] = [
            CocoaError(.fileReadNoPermission), POSIXError(.EPERM), CancellationError(),
            CocoaError(
                .fileReadNoPermission, userInfo: [NSUnderlyingErrorKey: POSIXError(.EPERM)]),
        ]
        for error in others {
            #expect(!error.isLocked)
            #expect(error.protectionError == nil)
        }
    }

    @Test func `of a host that is read-only is said to writers alone`() {
        let cause = ProtectionError(.forbidden, "read-only", errorNumber: EROFS)
        #expect(CocoaError(cause, .writing, path: "/x").code == .fileWriteVolumeReadOnly)
        #expect(CocoaError(cause, .reading, path: "/x").code == .fileReadNoPermission)
    }

    /// What a host says no to, and what the file calls make of it.
    @Test(arguments: [
        (EACCES, ProtectionError.Code.forbidden, 257, 513), (EPERM, .forbidden, 257, 513),
        (EROFS, .forbidden, 257, 642), (ENOSPC, .noSpace, 640, 640),
        (EDQUOT, .noSpace, 640, 640), (EIO, .host, 256, 512),
    ])
    func `of the host is told as such, and never as a lock`(
        number: Int32, code: ProtectionError.Code, reading: Int, writing: Int
    ) throws {
        let fails = Mutex(false)
        var options = MemoryStore.Options()
        options.onCall = { call throws(HostError) in
            if fails.withLock({ $0 }) { throw HostError(code: number, call: "a call") }
        }
        let rig = try VolumeRig(options: options)
        try rig.make("f", [1], .complete)
        rig.volume.lock()
        try rig.unlock()
        fails.withLock { $0 = true }
        let files = rig.files
        let read: [() throws -> Void] = [
            { _ = try files.contents(atPath: "f") },
            { _ = try files.attributesOfItem(atPath: "f") },
            { _ = try files.contentsOfDirectory(atPath: ".") },
            { _ = try files.fileExists(atPath: "f") },
            { _ = try ProtectedFileHandle(forReadingFrom: rig.url("f"), in: files) },
        ]
        let write: [() throws -> Void] = [
            { try Data([2]).write(to: rig.url("f"), in: files) },
            { try Data([2]).write(to: rig.url("f"), options: .atomic, in: files) },
            { try files.removeItem(atPath: "f") },
            { try files.createDirectory(atPath: "d", withIntermediateDirectories: false) },
            { try files.setAttributes([.posixPermissions: 0o600], ofItemAtPath: "f") },
            { _ = try files.createFile(at: rig.url("g")) },
        ]
        for call in read {
            #expect(fileRefusal(call) == code)
            #expect(cocoaCode(call) == reading)
        }
        for call in write {
            #expect(fileRefusal(call) == code)
            #expect(cocoaCode(call) == writing)
        }
        fails.withLock { $0 = false }
        #expect(try rig.volume.read("f") == [1])
    }

    @Test func `tells locked, forbidden, missing and damaged files apart`() throws {
        let rig = try VolumeRig(.folder)
        try rig.make("sealed", [1], .complete)
        try rig.make("damaged", pattern(9000), ProtectionClass.none)
        try rig.volume.close()
        try damageFiles(at: rig.path, ofByteCount: 12288)
        try rig.reboot()
        func code(_ name: String) -> ProtectionError.Code? {
            fileRefusal { _ = try Data(contentsOf: rig.url(name), in: rig.files) }
        }
        #expect(code("sealed") == .sealed)
        #expect(code("damaged") == .damaged)
        #expect(code("missing") == .missing)
        #expect(code("") == .isFolder)
    }

    /// Flips a byte in the second page of each host file of a size.
    private func damageFiles(at path: String, ofByteCount byteCount: Int) throws {
        var found = 0
        for name in try FileManager.default.subpathsOfDirectory(atPath: path) {
            let url = URL(filePath: path).appending(path: name)
            guard var bytes = try? Data(contentsOf: url), bytes.count == byteCount else { continue }
            bytes[5000] ^= 1
            try bytes.write(to: url)
            found += 1
        }
        #expect(found == 1)
    }
}
