import DataProtection
import Foundation
import ProtectedMount
import Testing

/// What a mount does not do, as a program sees it (docs/mount.md).
@Suite("What a mount does not do", .enabled(if: Machine.mounts, "needs root and /dev/fuse"))
struct RefusalTests {
    /// The name of the error that a line of Python meets in the mount; `done` for none.
    private func answer(_ line: String, in rig: MountRig) throws -> String {
        let program = """
            import errno, os
            try:
                \(line)
                print('done')
            except OSError as error:
                print(errno.errorcode[error.errno])
            """
        let said = try run(["python3", "-c", program], in: rig.path)
        return said.output.trimmingCharacters(in: .whitespacesAndNewlines)
    }

    @Test func `is refused with the error numbers that are documented`() throws {
        let rig = try MountRig()
        try put("x", rig.at("f"))
        let entries = "b''.join(bytes([t, 0, 6, 0]) + b'\\xff' * 4 for t in (1, 4, 32))"
        let list = "b'\\2\\0\\0\\0' + \(entries)"
        for (line, error) in [
            ("os.open('.', os.O_TMPFILE | os.O_RDWR)", "ENOTSUP"),
            ("os.setxattr('f', 'system.posix_acl_access', \(list))", "ENOTSUP"),
            ("os.getxattr('f', 'system.posix_acl_access')", "ENOTSUP"),
            ("os.setxattr('f', 'trusted.x', b'1')", "ENOTSUP"),
            ("os.symlink('y' * 3032, 'long')", "ENAMETOOLONG"),
            ("os.symlink('y' * 3031, 'short')", "done"),
        ] {
            #expect(try answer(line, in: rig) == error, "\(line)")
        }
    }

    @Test func `is copied by the kernel where copy_file_range is asked for`() throws {
        let rig = try MountRig()
        try put(String(repeating: "x", count: 10_000), rig.at("f"))
        let copy = """
            os.copy_file_range(os.open('f', 0), os.open('g', os.O_WRONLY | os.O_CREAT), 10000)
            """
        #expect(try answer(copy, in: rig) == "done")
        #expect(try bytes(at: rig.at("g")) == bytes(at: rig.at("f")))
    }
}
