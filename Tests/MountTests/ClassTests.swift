import AgentControl
import DataProtection
import Foundation
import Testing

/// Classes as other programs see and set them.
@Suite("A class from outside", .enabled(if: Machine.mounts, "needs root and /dev/fuse"))
struct ClassTests {
    private func set(_ name: String, _ path: String) throws -> Int32 {
        try run(["setfattr", "-n", "user.dataprotection.class", "-v", name, path]).status
    }

    private func get(_ path: String) throws -> String {
        let words = ["getfattr", "--absolute-names", "--only-values"]
        return try run(words + ["-n", "user.dataprotection.class", path]).output
    }

    @Test func `is an attribute of files and folders, and a folder gives it on`() throws {
        let rig = try MountRig()
        #expect(mkdir(rig.at("d"), 0o755) == 0)
        #expect(try run(["getfattr", "-n", "user.dataprotection.class", rig.at("d")]).status != 0)
        #expect(try set("complete", rig.at("d")) == 0)
        try put("x", rig.at("d/f"))
        #expect(mkdir(rig.at("d/e"), 0o755) == 0)
        #expect(try get(rig.at("d/f")) == "complete" && get(rig.at("d/e")) == "complete")
        #expect(try set("B", rig.at("d/f")) == 0)
        #expect(try get(rig.at("d/f")) == "completeUnlessOpen")
        #expect(try rig.volume.attributes(of: "d/f").protectionClass == .completeUnlessOpen)
        #expect(try set("secret", rig.at("d/f")) != 0)
        #expect(
            try run(["setfattr", "-x", "user.dataprotection.class", rig.at("d")]).status == 0)
        try put("x", rig.at("d/g"))
        #expect(try get(rig.at("d/g")) == "completeUntilFirstUserAuthentication")
    }

    @Test(arguments: ProtectionClass.allCases)
    func `is there from the first moment on under a reserved name`(
        _ protectionClass: ProtectionClass
    ) throws {
        let rig = try MountRig()
        let name = CreationName.name(making: "note", class: protectionClass)
        let file = open(rig.at(name), O_RDWR | O_CREAT | O_EXCL, 0o600)
        #expect(file >= 0 && write(file, "x", 1) == 1)
        close(file)
        #expect(try get(rig.at("note")) == protectionClass.name)
        #expect(failure { access(rig.at(name), F_OK) } == ENOENT)
        #expect(failure { open(rig.at(name), O_RDWR | O_CREAT | O_EXCL, 0o600) } == EEXIST)
        #expect(failure { rename(rig.at("note"), rig.at(name)) } == EINVAL)
        let folder = CreationName.name(making: "folder", class: protectionClass)
        #expect(mkdir(rig.at(folder), 0o700) == 0)
        #expect(try get(rig.at("folder")) == protectionClass.name)
        #expect(try FileManager.default.contentsOfDirectory(atPath: rig.path).count == 2)
    }

    @Test func `can be asked for in Swift`() throws {
        let rig = try MountRig()
        rig.volume.lock()
        let file = try MountedItem.createFile(rig.at("new"), class: .completeUnlessOpen)
        #expect(write(file, "x", 1) == 1)
        close(file)
        #expect(try get(rig.at("new")) == "completeUnlessOpen")
        #expect(throws: ProtectionError.self) {
            try MountedItem.createFile(rig.at("sealed"), class: .complete)
        }
        #expect(failure { access(rig.at("sealed"), F_OK) } == ENOENT)
    }

    @Test func `is told and set by any process, with what is sealed`() throws {
        let rig = try MountRig()
        try put("x", rig.at("f"))
        #expect(
            try MountedItem.protectionClass(at: rig.at("f"))
                == .completeUntilFirstUserAuthentication)
        try MountedItem.setProtectionClass(.complete, at: rig.at("f"))
        #expect(try !MountedItem.isSealed(at: rig.at("f")))
        rig.volume.lock()
        #expect(try MountedItem.isSealed(at: rig.at("f")))
        #expect(try MountedItem.protectionClass(at: rig.at("f")) == .complete)
        #expect(throws: ProtectionError.self) {
            try MountedItem.setProtectionClass(.none, at: rig.at("f"))
        }
        try MountedItem.setProtectionClass(.complete, at: rig.path)
        #expect(try rig.volume.protectionClass(of: "/") == .complete)
        #expect(try MountedItem.protectionClass(at: rig.base) == nil)
        #expect(throws: ProtectionError.self) {
            try MountedItem.setProtectionClass(.complete, at: rig.base)
        }
        #expect(try MountedItem.protectionClass(at: rig.base) == nil)
    }
}
