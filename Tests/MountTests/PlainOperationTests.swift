import CLinux
import DataProtection
import Foundation
import ProtectedMount
import Testing

/// Every operation that a file system has, as the C library calls it.
@Suite("A mounted volume", .enabled(if: Machine.mounts, "needs root and /dev/fuse"))
struct PlainOperationTests {
    @Test func `keeps what is written, in every size`() throws {
        let rig = try MountRig()
        for count in [0, 1, 3539, 3540, 3541, 4096, 7592, 100_000, 3_000_001] {
            let content = Data((0..<count).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 9) })
            let url = URL(filePath: rig.at("f\(count)"))
            try content.write(to: url)
            #expect(try Data(contentsOf: url) == content)
            var status = stat()
            #expect(stat(url.path, &status) == 0 && status.st_size == count)
        }
    }

    @Test func `renames with both flags, and into other folders`() throws {
        let rig = try MountRig()
        try put("a", rig.at("a"))
        try put("b", rig.at("b"))
        let rename = { (old: String, new: String, flags: UInt32) in
            failure { renameat2(AT_FDCWD, rig.at(old), AT_FDCWD, rig.at(new), flags) }
        }
        #expect(rename("a", "b", 1) == EEXIST)
        #expect(rename("a", "b", 2) == 0)
        #expect(try bytes(at: rig.at("a")) == Array("b".utf8))
        #expect(mkdir(rig.at("d"), 0o755) == 0 && mkdir(rig.at("d/e"), 0o755) == 0)
        #expect(rename("a", "d/e/x", 0) == 0)
        #expect(rename("d", "d/e/z", 0) == EINVAL)
        #expect(try bytes(at: rig.at("d/e/x")) == Array("b".utf8))
        #expect(rename("d", "moved", 0) == 0)
        #expect(try bytes(at: rig.at("moved/e/x")) == Array("b".utf8))
        #expect(failure { rmdir(rig.at("moved")) } == ENOTEMPTY)
        #expect(failure { unlink(rig.at("moved/e")) } == EISDIR)
        #expect(failure { rmdir(rig.at("b")) } == ENOTDIR)
    }

    @Test func `makes links, fifos, sockets and devices`() throws {
        let rig = try MountRig()
        try put("x", rig.at("x"))
        #expect(link(rig.at("x"), rig.at("y")) == 0)
        #expect(symlink("x", rig.at("s")) == 0)
        var status = stat()
        #expect(stat(rig.at("y"), &status) == 0 && status.st_nlink == 2)
        #expect(unlink(rig.at("x")) == 0)
        #expect(stat(rig.at("y"), &status) == 0 && status.st_nlink == 1)
        #expect(lstat(rig.at("s"), &status) == 0)
        #expect(status.st_mode & S_IFMT == S_IFLNK && status.st_size == 1)
        #expect(mkfifo(rig.at("p"), 0o600) == 0)
        #expect(lstat(rig.at("p"), &status) == 0 && status.st_mode & S_IFMT == S_IFIFO)
        #expect(mknod(rig.at("c"), S_IFCHR | 0o600, 0x0103) == 0)
        #expect(lstat(rig.at("c"), &status) == 0 && status.st_rdev == 0x0103)
        #expect(mknod(rig.at("q"), S_IFSOCK | 0o600, 0) == 0)
        #expect(failure { open(rig.at("c"), O_RDONLY) } == EACCES)  // nodev
        #expect(
            try FileManager.default.contentsOfDirectory(atPath: rig.path).sorted()
                == ["c", "p", "q", "s", "y"])
    }

    @Test func `goes on with an open file without a name`() throws {
        let rig = try MountRig()
        try put("before", rig.at("f"))
        let file = open(rig.at("f"), O_RDWR)
        defer { close(file) }
        #expect(unlink(rig.at("f")) == 0)
        try put("another", rig.at("f"))
        #expect(pwrite(file, "BEFORE", 6, 0) == 6 && ftruncate(file, 3) == 0)
        var status = stat()
        #expect(fstat(file, &status) == 0 && status.st_nlink == 0 && status.st_size == 3)
        #expect(fchmod(file, 0o640) == 0)
        #expect(fstat(file, &status) == 0 && status.st_mode & 0o777 == 0o640)
        let again = open("/proc/self/fd/\(file)", O_RDONLY)
        var read = [UInt8](repeating: 0, count: 8)
        #expect(pread(again, &read, 8, 0) == 3 && read[..<3] == Array("BEF".utf8)[...])
        close(again)
        #expect(try bytes(at: rig.at("f")) == Array("another".utf8))
    }

    @Test func `tells holes, punches them, zeroes ranges and keeps sizes`() throws {
        let rig = try MountRig()
        let file = open(rig.at("f"), O_RDWR | O_CREAT, 0o600)
        defer { close(file) }
        let ones = [UInt8](repeating: 1, count: 200_000)
        #expect(pwrite(file, ones, ones.count, 0) == ones.count)
        #expect(fallocate(file, 1, 0, 1_000_000) == 0)  // keep the size
        #expect(fallocate(file, 3, 20_000, 100_000) == 0)  // punch
        #expect(fallocate(file, 16, 150_000, 10) == 0)  // zero
        #expect(failure { fallocate(file, 8, 0, 4096) } == EOPNOTSUPP)  // collapse
        var status = stat()
        #expect(fstat(file, &status) == 0 && status.st_size == 200_000)
        var read = [UInt8](repeating: 9, count: 200_000)
        #expect(pread(file, &read, read.count, 0) == read.count)
        for (index, byte) in read.enumerated() {
            let isZero = (20_000..<120_000).contains(index) || (150_000..<150_010).contains(index)
            if byte != (isZero ? 0 : 1) { Issue.record("byte \(index) is \(byte)") }
        }
        let hole = lseek(file, 0, 4)
        #expect((20_000...24_096).contains(hole))
        let data = lseek(file, hole, 3)
        #expect((115_000...120_000).contains(data))
        #expect(failure { lseek(file, 200_000, 3) } == ENXIO)
    }

    @Test func `sets modes, owners, times and attributes`() throws {
        let rig = try MountRig()
        try put("x", rig.at("f"))
        #expect(chmod(rig.at("f"), 0o4755) == 0 && chown(rig.at("f"), 12, 34) == 0)
        var status = stat()
        #expect(stat(rig.at("f"), &status) == 0)
        #expect(status.st_mode & 0o7777 == 0o755 && status.st_uid == 12 && status.st_gid == 34)
        let now = (1 << 30) - 1
        var times = [timespec(tv_sec: 7, tv_nsec: 8), timespec(tv_sec: 0, tv_nsec: now)]
        #expect(utimensat(AT_FDCWD, rig.at("f"), &times, 0) == 0)
        #expect(stat(rig.at("f"), &status) == 0)
        #expect(status.st_atim.tv_sec == 7 && status.st_atim.tv_nsec == 8)
        #expect(abs(status.st_mtim.tv_sec - time(nil)) < 5)
        #expect(chmod(rig.at("f"), 0) == 0)
        #expect(stat(rig.at("f"), &status) == 0 && status.st_mode & 0o7777 == 0)
        let set = try run(["setfattr", "-n", "user.note", "-v", "hello", rig.at("f")])
        #expect(set.status == 0, "\(set.output)")
        let told = try run(["getfattr", "-d", rig.at("f")])
        #expect(told.output.contains("user.note=\"hello\""))
        #expect(
            told.output.contains(
                "user.dataprotection.class=\"completeUntilFirstUserAuthentication\""))
        #expect(try run(["setfattr", "-x", "user.note", rig.at("f")]).status == 0)
        #expect(try run(["getfattr", "-n", "user.note", rig.at("f")]).status != 0)
    }

    @Test func `lists ten thousand names, also while they change`() throws {
        let rig = try MountRig()
        for number in 0..<10_000 { close(creat(rig.at("n\(number)"), 0o600)) }
        let names = try FileManager.default.contentsOfDirectory(atPath: rig.path)
        #expect(Set(names).count == 10_000 && names.count == 10_000)
        for number in 0..<5_000 { unlink(rig.at("n\(number)")) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.path).count == 5_000)
    }

    @Test func `reads and writes past the kernel's pages, and through mappings`() throws {
        let rig = try MountRig()
        let direct = open(rig.at("f"), O_RDWR | O_CREAT | Int32(0o40000), 0o600)
        defer { close(direct) }
        var memory: UnsafeMutableRawPointer?
        posix_memalign(&memory, 4096, 1 << 16)
        defer { free(memory) }
        memset(memory!, 5, 1 << 16)
        #expect(pwrite(direct, memory, 1 << 16, 0) == 1 << 16)
        let file = open(rig.at("f"), O_RDWR)
        defer { close(file) }
        let map = mmap(nil, 1 << 16, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0)!
        #expect(map.load(as: UInt8.self) == 5)
        map.storeBytes(of: 9, as: UInt8.self)
        #expect(msync(map, 1 << 16, MS_SYNC) == 0)
        #expect(pread(direct, memory, 4096, 0) == 4096)
        #expect(memory!.load(as: UInt8.self) == 9)
        munmap(map, 1 << 16)
    }

    @Test func `gives locks to one at a time`() throws {
        let rig = try MountRig()
        try put("x", rig.at("f"))
        let (one, two) = (open(rig.at("f"), O_RDWR), open(rig.at("f"), O_RDWR))
        defer { for file in [one, two] { close(file) } }
        #expect(flock(one, LOCK_EX | LOCK_NB) == 0)
        #expect(failure { flock(two, LOCK_EX | LOCK_NB) } == EWOULDBLOCK)
        #expect(flock(one, LOCK_UN) == 0 && flock(two, LOCK_EX | LOCK_NB) == 0)
        #expect(try run(["flock", "-n", rig.at("f"), "true"]).status == 1)
    }

    @Test func `can be read only`() throws {
        var options = ProtectedMount.Options()
        options.readOnly = true
        let rig = try MountRig(options: options)
        #expect(failure { creat(rig.at("f"), 0o600) } == EROFS)
        #expect(failure { mkdir(rig.at("d"), 0o700) } == EROFS)
    }

    @Test func `is never mounted with the kernel's write-back cache`() throws {
        let rig = try MountRig()
        try put("x", rig.at("f"))
        let file = open(rig.at("f"), O_RDWR)
        defer { close(file) }
        rig.volume.lock()
        try rig.unlock()
        // What was written is in the volume before write(2) returns, not some time later.
        #expect(pwrite(file, "y", 1, 0) == 1)
        #expect(try rig.volume.read("f") == Array("y".utf8))
    }

    @Test func `gives temporary files without a name to nobody`() throws {
        let rig = try MountRig()
        let temporary = Int32(0o20_200_000)
        #expect(failure { open(rig.path, temporary | O_RDWR, 0o600) } == EOPNOTSUPP)
    }
}
