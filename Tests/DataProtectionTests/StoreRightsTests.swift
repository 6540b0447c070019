import DataProtection
import Foundation
import TestSupport
import Testing

/// What a folder's store does for a user who is not root, and with what is not his.
@Suite(.scratchFolder) struct `A store in a folder of an ordinary user` {
    /// A store that the ordinary user may write to.
    private func makeStore() throws -> FolderStore {
        let folder = try #require(StoreScratchTrait.folder)
        if geteuid() == 0 { #expect(chown(folder.path, 65534, 65534) == 0) }
        return try FolderStore(path: folder.path)
    }

    @Test(.timeLimit(.minutes(30)))
    func `makes nodes and changes them without opening them`() throws {
        let root = try makeStore().root
        let before = umask(0o077)
        defer { umask(before) }
        try OrdinaryUser.run {
            for (name, kind) in [("fifo", HostKind.fifo), ("socket", .socket)] {
                try root.makeNode(name, kind: kind, mode: 0o666, device: 0)
                #expect(try root.attributes(of: name).mode == 0o666)
                try root.setAttributes(
                    HostAttributeChange(mode: 0o000, modificationTime: .time(HostTime(1))),
                    of: name)
                // Even what may not be opened can be changed by its owner.
                try root.setMode(0o604, of: name)
                #expect(try root.attributes(of: name).mode == 0o604)
            }
        }
    }

    @Test func `refuses devices and other owners`() throws {
        let root = try makeStore().root
        try OrdinaryUser.run {
            let file = try root.createFile("f", mode: 0o600)
            for kind in [HostKind.characterDevice, .blockDevice] {
                #expect(
                    code { try root.makeNode("n", kind: kind, mode: 0o600, device: 0xF307) }
                        == HostError.notPermitted)
            }
            let change = HostAttributeChange(mode: 0o644, owner: 1)
            #expect(code { try file.setAttributes(change) } == HostError.notPermitted)
            #expect(code { try root.setAttributes(change, of: "f") } == HostError.notPermitted)
            // The owner comes first, so the mode is as it was.
            #expect(try file.attributes().mode == 0o600)
            #expect(try root.names() == ["f"])
        }
    }

    @Test(.enabled(if: geteuid() == 0, "only root can make what is another user's"))
    func `opens what is readable and another user's, and changes nothing of it`() throws {
        let root = try makeStore().root
        try root.createFile("f", mode: 0o644).write(page(1))
        try root.makeNode("fifo", kind: .fifo, mode: 0o666, device: 0)
        try root.makeNode("socket", kind: .socket, mode: 0o666, device: 0)
        try OrdinaryUser.run {
            let file = try root.openFile("f", writable: false)
            #expect(try file.allBytes() == page(1))
            #expect(
                code { _ = try root.openFile("f", writable: true) } == HostError.accessDenied)
            for name in ["fifo", "socket"] {
                #expect(
                    code { _ = try root.openFile(name, writable: true) }
                        == HostError.invalidArgument)
            }
            for change in [
                HostAttributeChange(mode: 0o600), HostAttributeChange(group: 0),
                HostAttributeChange(accessTime: .time(HostTime(1))),
            ] {
                #expect(code { try file.setAttributes(change) } == HostError.notPermitted)
                #expect(code { try root.setAttributes(change, of: "f") } == HostError.notPermitted)
            }
            let now = HostAttributeChange(accessTime: .now, modificationTime: .now)
            #expect(code { try root.setAttributes(now, of: "f") } == HostError.accessDenied)
        }
    }

    @Test func `tells no attributes but the user's`() throws {
        let folder = try #require(StoreScratchTrait.folder)
        let root = try FolderStore(path: folder.path).root
        let file = try root.createFile("f", mode: 0o600)
        try file.userAttributes.set("user.a", to: [1], rule: .set)
        // Only root may set this one; the file has two then.
        let isSet = setxattr(folder.path(of: "f"), "trusted.b", "x", 1, 0) == 0
        #expect(isSet == OrdinaryUser.canMakeDevices || !isSet)
        #expect(try file.userAttributes.names() == ["user.a"])
        #expect(try file.userAttributes.value(of: "trusted.b") == nil)
        #expect(code { try file.userAttributes.remove("trusted.b") } == HostError.notSupported)
    }
}

@_silgen_name("setxattr") private func setxattr(
    _ path: UnsafePointer<CChar>, _ name: UnsafePointer<CChar>, _ value: UnsafePointer<CChar>,
    _ byteCount: Int, _ flags: Int32
) -> Int32
