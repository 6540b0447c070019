import DataProtection
import Foundation
import Testing

/// What every store does with fifos, sockets and devices.
@Suite(.scratchFolder) struct `Every store makes nodes` {
    @Test(
        .timeLimit(.minutes(30)),
        arguments: StoreKind.allCases, [HostKind.fifo, .socket])
    func `one is made, told, changed, renamed and removed, and never opened`(
        _ kind: StoreKind, _ nodeKind: HostKind
    ) throws {
        let root = try kind.make().root
        try root.makeNode("n", kind: nodeKind, mode: 0o640, device: 77)
        let made = try root.attributes(of: "n")
        #expect(made.kind == nodeKind && made.mode == 0o640)
        #expect(made.deviceNumber == 0 && made.byteCount == 0 && made.linkCount == 1)
        #expect(made.owner == geteuid())
        #expect(try root.list() == [HostEntry(name: "n", kind: nodeKind)])
        for isWritable in [false, true] {
            #expect(
                code { _ = try root.openFile("n", writable: isWritable) }
                    == HostError.invalidArgument)
        }
        #expect(code { _ = try root.openFolder("n") } == HostError.notFolder)
        #expect(code { _ = try root.readSymlink("n") } == HostError.invalidArgument)
        let change = HostAttributeChange(
            mode: 0o1751, owner: geteuid(), group: getegid(), accessTime: .time(HostTime(3, 4)),
            modificationTime: .time(HostTime(5, 6)))
        try root.setAttributes(change, of: "n")
        try root.rename("n", to: root, as: "m", rule: .exclusive)
        let changed = try root.attributes(of: "m")
        #expect(changed.identity == made.identity && changed.kind == nodeKind)
        #expect(changed.mode == 0o1751)
        #expect(changed.accessTime == HostTime(3, 4))
        #expect(changed.modificationTime == HostTime(5, 6))
        #expect(code { try root.removeFolder("m") } == HostError.notFolder)
        try root.removeFile("m")
        #expect(try root.names() == [])
    }

    @Test(arguments: StoreKind.allCases, [UInt32(0o600), 0o666, 0o777, 0o1777, 0o4755, 0o000])
    func `its mode is exactly as given`(_ kind: StoreKind, _ mode: UInt32) throws {
        let root = try kind.make().root
        try root.makeNode("n", kind: .fifo, mode: mode, device: 0)
        #expect(try root.attributes(of: "n").mode == mode)
    }

    @Test(arguments: StoreKind.allCases)
    func `what cannot be is refused with the kernel's number`(_ kind: StoreKind) throws {
        let root = try kind.make().root
        _ = try root.createFile("f", mode: 0o600)
        func attempt(_ name: String, _ kind: HostKind, _ folder: any BackingFolder) -> Int32? {
            code { try folder.makeNode(name, kind: kind, mode: 0o600, device: 0) }
        }
        for kind in [HostKind.regular, .folder, .symlink] {
            #expect(attempt("n", kind, root) == HostError.invalidArgument)
        }
        #expect(attempt("f", .fifo, root) == HostError.entryExists)
        #expect(attempt("f", .blockDevice, root) == HostError.entryExists)
        #expect(attempt("a/b", .fifo, root) == HostError.invalidArgument)
        #expect(
            attempt(String(repeating: "x", count: 256), .fifo, root) == HostError.nameTooLong)
        try root.makeFolder("gone", mode: 0o700)
        let gone = try root.openFolder("gone")
        try root.removeFolder("gone")
        #expect(attempt("n", .fifo, gone) == HostError.noSuchEntry)
        #expect(try root.names() == ["f"])
    }

    @Test(
        .enabled(if: OrdinaryUser.canMakeDevices, "only root can make devices"),
        arguments: StoreKind.allCases, [HostKind.characterDevice, .blockDevice])
    func `a device keeps its number`(_ kind: StoreKind, _ nodeKind: HostKind) throws {
        let root = try kind.make().root
        // Numbers without a driver: the second needs more than 8 bits for each half.
        for (index, device) in [UInt64(0xF3_07), 0x1234_5678].enumerated() {
            try root.makeNode("n\(index)", kind: nodeKind, mode: 0o620, device: device)
            var made = try root.attributes(of: "n\(index)")
            #expect(made.kind == nodeKind && made.mode == 0o620 && made.deviceNumber == device)
            try root.setMode(0o606, of: "n\(index)")
            made = try root.attributes(of: "n\(index)")
            #expect(made.mode == 0o606 && made.deviceNumber == device)
        }
        #expect(
            code { _ = try root.openFile("n0", writable: false) } == HostError.invalidArgument)
        #expect(
            code {
                try root.makeNode("n", kind: nodeKind, mode: 0o600, device: 1 << 32)
            } == HostError.invalidArgument)
        let file = try root.createFile("f", mode: 0o600)
        #expect(try file.attributes().deviceNumber == 0)
    }
}
