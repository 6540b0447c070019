import DataProtection
import Foundation
import ProtectedMount
import Testing

/// What a lock does to programs that hold files.
@Suite("A lock of a mounted volume", .enabled(if: Machine.mounts, "needs root and /dev/fuse"))
struct LockTests {
    @Test func `seals open files and mappings, and after the unlock they work again`() throws {
        let rig = try MountRig(class: .complete)
        try put(String(repeating: "secret ", count: 5000), rig.at("f"))
        let file = open(rig.at("f"), O_RDWR)
        defer { close(file) }
        let map = mmap(nil, 16_384, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)!
        defer { munmap(map, 16_384) }
        map.storeBytes(of: UInt8(ascii: "S"), as: UInt8.self)
        map.storeBytes(of: UInt8(ascii: "T"), toByteOffset: 8192, as: UInt8.self)
        rig.volume.lock()
        var byte = [UInt8](repeating: 0, count: 1)
        #expect(failure { pread(file, &byte, 1, 0) } == EPERM)
        #expect(failure { pwrite(file, "x", 1, 0) } == EPERM)
        #expect(failure { ftruncate(file, 1) } == EPERM)
        #expect(failure { open(rig.at("f"), O_RDONLY) } == EPERM)
        #expect(failure { open(rig.at("f"), O_WRONLY | O_TRUNC) } == EPERM)
        #expect(failure { creat(rig.at("new"), 0o600) } == EPERM)
        #expect(failure { access(rig.at("new"), F_OK) } == ENOENT)
        #expect(fsync(file) == 0)
        #expect(try run(["cat", rig.at("f")]).status != 0)
        try rig.unlock()
        #expect(pread(file, &byte, 1, 0) == 1 && byte == [UInt8(ascii: "S")])
        #expect(map.load(fromByteOffset: 8192, as: UInt8.self) == UInt8(ascii: "T"))
        #expect(pwrite(file, "x", 1, 1) == 1)
        #expect(map.load(fromByteOffset: 1, as: UInt8.self) == UInt8(ascii: "x"))
    }

    @Test func `kills who touches a mapping with SIGBUS, and nobody else`() throws {
        let rig = try MountRig(class: .complete)
        try put(String(repeating: "secret ", count: 5000), rig.at("f"))
        let program = """
            import mmap, os, signal, sys
            file = os.open(sys.argv[1], os.O_RDONLY)
            memory = mmap.mmap(file, 16384, mmap.MAP_SHARED, mmap.PROT_READ)
            def child():
                process = os.fork()
                if process == 0:
                    signal.signal(signal.SIGBUS, signal.SIG_DFL)
                    memory[0]
                    os._exit(0)
                return os.waitpid(process, 0)[1]
            print(child(), flush=True)
            sys.stdin.readline()
            print(child(), flush=True)
            sys.stdin.readline()
            print(child(), flush=True)
            """
        let python = try Conversation(["python3", "-c", program, rig.at("f")])
        #expect(python.line() == "0")
        rig.volume.lock()
        python.say("")
        #expect(Int32(python.line() ?? "") ?? 0 & 0x7f == SIGBUS)
        try rig.unlock()
        python.say("")
        #expect(python.line() == "0")
    }

    @Test func `lets an open file of class completeUnlessOpen go on until it is closed`() throws {
        let rig = try MountRig(class: .completeUnlessOpen)
        try put("before", rig.at("f"))
        let file = open(rig.at("f"), O_RDWR)
        rig.volume.lock()
        #expect(pwrite(file, "during", 6, 0) == 6)
        #expect(failure { open(rig.at("f"), O_RDONLY) } == EPERM)
        let new = creat(rig.at("new"), 0o600)
        #expect(new >= 0 && write(new, "upload", 6) == 6)
        close(new)
        close(file)
        #expect(failure { open(rig.at("new"), O_RDONLY) } == EPERM)
        #expect(failure { open(rig.at("f"), O_RDONLY) } == EPERM)
        try rig.unlock()
        #expect(try bytes(at: rig.at("f")) == Array("during".utf8))
        #expect(try bytes(at: rig.at("new")) == Array("upload".utf8))
    }

    @Test func `leaves names, sizes, renaming and removing to everybody`() throws {
        let rig = try MountRig(class: .complete)
        try put("12345", rig.at("f"))
        try put("12345", rig.at("g"))
        rig.volume.lock()
        var status = stat()
        #expect(stat(rig.at("f"), &status) == 0 && status.st_size == 5)
        #expect(rename(rig.at("f"), rig.at("h")) == 0 && unlink(rig.at("g")) == 0)
        #expect(chmod(rig.at("h"), 0o640) == 0 && link(rig.at("h"), rig.at("i")) == 0)
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: rig.path).sorted() == ["h", "i"])
        let told = try run(["getfattr", "-n", "user.dataprotection.class", rig.at("h")])
        #expect(told.output.contains("\"complete\""))
        let weaker = ["setfattr", "-n", "user.dataprotection.class", "-v", "none", rig.at("h")]
        #expect(try run(weaker).status != 0)
        try rig.unlock()
        #expect(try run(weaker).status == 0)
    }

    @Test func `makes cp, rsync and tar name each sealed file, and fail`() throws {
        let rig = try MountRig(class: .complete)
        try FileManager.default.createDirectory(
            atPath: rig.at("d"), withIntermediateDirectories: false)
        try put("one", rig.at("d/one"))
        try put("two", rig.at("d/two"))
        try run(["setfattr", "-n", "user.dataprotection.class", "-v", "none", rig.at("d/two")])
        rig.volume.lock()
        let target = rig.base + "/copy"
        for words in [
            ["cp", "-r", rig.at("d"), target], ["rsync", "-r", rig.at("d"), target + "-r"],
            ["tar", "-cf", target + ".tar", rig.at("d")],
        ] {
            let result = try run(words)
            #expect(result.status != 0, "\(words)")
            #expect(result.output.contains("d/one"), "\(result.output)")
            #expect(result.output.contains("Operation not permitted"), "\(result.output)")
            #expect(!result.output.contains("d/two"), "\(result.output)")
        }
    }

    @Test func `says which programs hold sealed files`() throws {
        let rig = try MountRig(class: .complete)
        try put("secret", rig.at("f"))
        try put("open", rig.at("g"))
        try run(["setfattr", "-n", "user.dataprotection.class", "-v", "none", rig.at("g")])
        let program = "import sys,time\na=[open(p) for p in sys.argv[1:]]\nprint(1,flush=True)\n"
        let python = try Conversation(
            ["python3", "-c", program + "time.sleep(60)", rig.at("f"), rig.at("g")])
        #expect(python.line() == "1")
        let holders = rig.mount.holders().filter { $0.process == python.process }
        #expect(holders.map(\.paths) == [[rig.at("f")]])
        #expect(holders.first?.program.hasPrefix("python3") == true)
        #expect(throws: ProtectionError.self) { try rig.mount.unmount() }
        python.end()
        try rig.mount.unmount()
        #expect(!rig.mount.isMounted)
    }

    @Test func `finds who holds files whose names are no text, or gone`() throws {
        let rig = try MountRig(class: .complete)
        let program = """
            import os, sys, time
            top = sys.argv[1].encode()
            names = [top + b'/line\\nbreak', top + b'/\\xff', top + b'/gone', top + b'/mapped']
            files = [open(name, 'wb') for name in names]
            os.unlink(names[2])
            print(1, flush=True)
            time.sleep(60)
            """
        let python = try Conversation(["python3", "-c", program, rig.path])
        #expect(python.line() == "1")
        rig.volume.lock()
        let holder = rig.mount.holders().first { $0.process == python.process }
        #expect(
            holder?.paths == [
                rig.at("gone (deleted)"), rig.at("line\nbreak"), rig.at("mapped"),
                rig.at("\u{fffd}"),
            ])
        python.end()
    }

    @Test func `loses no write that was reported as done`() throws {
        let rig = try MountRig(class: .complete)
        let stop = Date() + 4
        let writers = (0..<3).map { _ in Counting() }
        let group = DispatchGroup()
        for (number, writer) in writers.enumerated() {
            let file = open(rig.at("w\(number)"), O_RDWR | O_CREAT, 0o600)
            group.enter()
            // A thread of its own for each: a pool has as many as the machine has cores.
            Thread.detachNewThread {
                defer {
                    close(file)
                    group.leave()
                }
                var next: UInt64 = 0
                while Date() < stop {
                    let count = withUnsafeBytes(of: next) {
                        pwrite(file, $0.baseAddress, 8, off_t(next * 8))
                    }
                    guard count == 8 else {
                        if errno != EPERM { writer.fault = errno }
                        continue
                    }
                    next += 1
                }
                writer.count = next
            }
        }
        var lockCount = 0
        while Date() < stop {
            usleep(20_000)
            rig.volume.lock()
            usleep(2_000)
            try rig.unlock()
            lockCount += 1
        }
        group.wait()
        print("locked \(lockCount) times during \(writers.map(\.count)) writes")
        for (number, writer) in writers.enumerated() {
            #expect(writer.fault == 0)
            let content = try bytes(at: rig.at("w\(number)"))
            #expect(content.count == Int(writer.count) * 8)
            let numbers = content.withUnsafeBytes { Array($0.bindMemory(to: UInt64.self)) }
            #expect(numbers == Array(0..<writer.count))
        }
    }
}

/// What a writer has done; read when its thread has ended.
private final class Counting: @unchecked Sendable {
    var count: UInt64 = 0
    var fault: Int32 = 0
}
