import DataProtection
import Foundation
import Testing

/// What every store does when modes, owners and times are set.
@Suite(.scratchFolder) struct `Every store sets attributes` {
    /// Where a change is made.
    enum Place: String, CaseIterable, Sendable {
        case entry, openFile, fileWithoutName, openFolder, entryFolder, fifo, link

        /// Whether the host lets it have a mode of its own.
        var hasMode: Bool { self != .link }
    }

    /// Something to change, in a store of its own.
    private struct Subject {
        let change: (HostAttributeChange) throws -> Void
        let look: () throws -> HostAttributes

        init(_ kind: StoreKind, _ place: Place) throws {
            let root = try kind.make().root
            switch place {
            case .entry: _ = try root.createFile("x", mode: 0o640)
            case .openFile, .fileWithoutName:
                let file = try root.createFile("x", mode: 0o640)
                if place == .fileWithoutName { try root.removeFile("x") }
                change = { try file.setAttributes($0) }
                look = { try file.attributes() }
                return
            case .openFolder:
                try root.makeFolder("x", mode: 0o750)
                let folder = try root.openFolder("x")
                change = { try folder.setAttributes($0, of: nil) }
                look = { try folder.attributes() }
                return
            case .entryFolder: try root.makeFolder("x", mode: 0o750)
            case .fifo: try root.makeNode("x", kind: .fifo, mode: 0o640, device: 0)
            case .link: try root.makeSymlink("x", target: "nowhere")
            }
            change = { try root.setAttributes($0, of: "x") }
            look = { try root.attributes(of: "x") }
        }
    }

    @Test(arguments: StoreKind.allCases, Place.allCases)
    func `times are exact, and each for itself`(_ kind: StoreKind, _ place: Place) throws {
        let subject = try Subject(kind, place)
        let before = try subject.look()
        try subject.change(HostAttributeChange(accessTime: .time(HostTime(1_000_000, 123_456_789))))
        var now = try subject.look()
        #expect(now.accessTime == HostTime(1_000_000, 123_456_789))
        #expect(now.modificationTime == before.modificationTime)
        #expect(now.changeTime >= before.changeTime)
        try subject.change(HostAttributeChange(modificationTime: .time(HostTime(-5, 999_999_999))))
        now = try subject.look()
        #expect(now.accessTime == HostTime(1_000_000, 123_456_789))
        #expect(now.modificationTime == HostTime(-5, 999_999_999))
        try subject.change(
            HostAttributeChange(accessTime: .now, modificationTime: .time(HostTime(7))))
        now = try subject.look()
        #expect(abs(now.accessTime.seconds - HostClock.seconds()) < 60)
        #expect(now.modificationTime == HostTime(7))
        #expect(abs(now.changeTime.seconds - HostClock.seconds()) < 60)
    }

    @Test(arguments: StoreKind.allCases, Place.allCases)
    func `a mode is exactly as given`(_ kind: StoreKind, _ place: Place) throws {
        let subject = try Subject(kind, place)
        let before = try subject.look()
        for mode: UInt32 in [0o000, 0o777, 0o1777, 0o4711, 0o600] {
            let change = HostAttributeChange(mode: mode)
            if place.hasMode {
                try subject.change(change)
                #expect(try subject.look().mode == mode)
            } else {
                #expect(code { try subject.change(change) } == HostError.notSupported)
                #expect(try subject.look().mode == 0o777)
            }
        }
        let now = try subject.look()
        #expect(now.modificationTime == before.modificationTime)
        #expect(now.kind == before.kind && now.linkCount == before.linkCount)
    }

    @Test(arguments: StoreKind.allCases, Place.allCases)
    func `an owner and a group can be set, by root to any`(
        _ kind: StoreKind, _ place: Place
    ) throws {
        let subject = try Subject(kind, place)
        let isRoot = geteuid() == 0
        let (owner, group) = isRoot ? (UInt32(12345), UInt32(54321)) : (geteuid(), getegid())
        try subject.change(HostAttributeChange(group: group))
        #expect(try subject.look().owner == geteuid())
        #expect(try subject.look().group == group)
        try subject.change(HostAttributeChange(owner: owner))
        #expect(try subject.look().owner == owner)
        #expect(try subject.look().group == group)
    }

    @Test(arguments: StoreKind.allCases, Place.allCases.filter(\.hasMode))
    func `a new owner clears the bits that would be his, and a mode in the same change stays`(
        _ kind: StoreKind, _ place: Place
    ) throws {
        let subject = try Subject(kind, place)
        let isFolder = try subject.look().kind == .folder
        let change = HostAttributeChange(owner: geteuid(), group: getegid())
        for (mode, left): (UInt32, UInt32) in [
            (0o6755, 0o755), (0o6745, 0o2745), (0o4644, 0o644), (0o1700, 0o1700),
        ] {
            try subject.change(HostAttributeChange(mode: mode))
            try subject.change(change)
            #expect(try subject.look().mode == (isFolder ? mode : left))
        }
        try subject.change(HostAttributeChange(mode: 0o4755, owner: geteuid()))
        #expect(try subject.look().mode == 0o4755)
    }

    @Test(arguments: StoreKind.allCases, Place.allCases)
    func `what makes no sense is refused before anything changes`(
        _ kind: StoreKind, _ place: Place
    ) throws {
        let subject = try Subject(kind, place)
        let before = try subject.look()
        for time in [HostTime(1, -1), HostTime(1, 1_000_000_000), HostTime(1, (1 << 30) - 1)] {
            let change = HostAttributeChange(mode: 0o700, accessTime: .time(time))
            #expect(code { try subject.change(change) } == HostError.invalidArgument)
            let other = HostAttributeChange(mode: 0o700, modificationTime: .time(time))
            #expect(code { try subject.change(other) } == HostError.invalidArgument)
        }
        for change in [
            HostAttributeChange(mode: 0o700, owner: .max),
            HostAttributeChange(mode: 0o700, group: .max),
        ] {
            #expect(code { try subject.change(change) } == HostError.invalidArgument)
        }
        try subject.change(HostAttributeChange())
        #expect(try subject.look() == before)
    }

    @Test(arguments: StoreKind.allCases)
    func `what comes before a failure is done`(_ kind: StoreKind) throws {
        let subject = try Subject(kind, .link)
        let before = try subject.look()
        let isRoot = geteuid() == 0
        let change = HostAttributeChange(
            mode: 0o700, owner: isRoot ? 12345 : geteuid(), modificationTime: .time(HostTime(7)))
        #expect(code { try subject.change(change) } == HostError.notSupported)
        let after = try subject.look()
        #expect(after.owner == (isRoot ? 12345 : geteuid()))
        #expect(after.modificationTime == before.modificationTime)
        #expect(after.changeTime >= before.changeTime)
    }

    @Test(arguments: StoreKind.allCases)
    func `a name that is not there, or may not be, is refused`(_ kind: StoreKind) throws {
        let root = try kind.make().root
        let times = HostAttributeChange(accessTime: .now)
        #expect(code { try root.setAttributes(times, of: "x") } == HostError.noSuchEntry)
        for name in ["", ".", "..", "a/b"] {
            #expect(code { try root.setAttributes(times, of: name) } == HostError.invalidArgument)
        }
        try root.setAttributes(HostAttributeChange(), of: "x")
    }

    @Test(arguments: StoreKind.allCases)
    func `reading a file that was opened does not change when it was last read`(
        _ kind: StoreKind
    ) throws {
        let root = try kind.make().root
        try root.createFile("f", mode: 0o600).write(page(1))
        for isWritable in [false, true] {
            // Older than the last write: a mount with relatime would note the next access.
            let change = HostAttributeChange(accessTime: .time(HostTime(1000)))
            try root.setAttributes(change, of: "f")
            #expect(try root.openFile("f", writable: isWritable).allBytes() == page(1))
            #expect(try root.attributes(of: "f").accessTime == HostTime(1000))
        }
    }

    @Test(arguments: StoreKind.allCases)
    func `a handle that only reads sets attributes too`(_ kind: StoreKind) throws {
        let root = try kind.make().root
        _ = try root.createFile("f", mode: 0o600)
        let file = try root.openFile("f", writable: false)
        try file.setAttributes(
            HostAttributeChange(mode: 0o640, modificationTime: .time(HostTime(5))))
        #expect(try root.attributes(of: "f").mode == 0o640)
        #expect(try root.attributes(of: "f").modificationTime == HostTime(5))
    }
}
