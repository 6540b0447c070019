import DataProtection
import Foundation
import TestSupport
import Testing

/// Open files in the shape of Foundation's `FileHandle`.
@Suite(.bothDoors) struct `A file handle` {
    @Test(arguments: RigStore.allCases) func `reads and writes where it stands`(store: RigStore)
        throws
    {
        let rig = try VolumeRig(store)
        try rig.make("f", pattern(10_000), .complete)
        let reader = try ProtectedFileHandle(forReadingFrom: rig.url("f"), in: rig.files)
        #expect(try reader.read(upToCount: 5000) == Data(pattern(10_000).prefix(5000)))
        #expect(try reader.offset() == 5000)
        #expect(try reader.readToEnd() == Data(pattern(10_000).dropFirst(5000)))
        #expect(try reader.read(upToCount: 1) == nil)
        #expect(try reader.readToEnd() == nil)
        try reader.seek(toOffset: 9999)
        #expect(try reader.read(upToCount: 9) == Data(pattern(10_000).suffix(1)))
        try reader.seek(toOffset: 1 << 40)
        #expect(try reader.read(upToCount: 9) == nil)
        #expect(try reader.read(upToCount: 0) == nil)
        let writer = try ProtectedFileHandle(forWritingTo: rig.url("f"), in: rig.files)
        try writer.write(contentsOf: [1, 2, 3])
        try writer.write(contentsOf: Data([4]))
        #expect(try writer.offset() == 4)
        #expect(try writer.seekToEnd() == 10_000)
        try writer.write(contentsOf: Data([9, 8, 7]).dropFirst())
        try writer.synchronize()
        #expect(try reader.seekToEnd() == 10_002)
        try reader.seek(toOffset: 0)
        #expect(try reader.read(upToCount: 5) == Data([1, 2, 3, 4, pattern(5)[4]]))
        try writer.truncate(atOffset: 2)
        #expect(try writer.offset() == 2)
        try writer.write(contentsOf: [5])
        #expect(try rig.volume.read("f") == [1, 2, 5])
        let both = try ProtectedFileHandle(forUpdating: rig.url("f"), in: rig.files)
        try both.truncate(atOffset: 5)
        try both.seek(toOffset: 0)
        #expect(try both.readToEnd() == Data([1, 2, 5, 0, 0]))
        #expect(both.protection == .complete)
        #expect(both.url == rig.url("f"))
    }

    @Test func `does what it was opened for, until it is closed`() throws {
        let rig = try VolumeRig()
        try rig.make("f", [1])
        let reader = try ProtectedFileHandle(forReadingFrom: rig.url("f"), in: rig.files)
        #expect(cocoaCode { try reader.write(contentsOf: [1]) } == 512)
        #expect(cocoaCode { try reader.truncate(atOffset: 0) } == 512)
        #expect(cocoaCode { try reader.seek(toOffset: .max) } == 256)
        let writer = try ProtectedFileHandle(forWritingTo: rig.url("f"), in: rig.files)
        #expect(cocoaCode { _ = try writer.read(upToCount: 1) } == 256)
        try writer.close()
        try writer.close()
        for call: () throws -> Void in [
            { try writer.write(contentsOf: [1]) }, { _ = try writer.offset() },
            { try writer.seek(toOffset: 0) }, { try writer.seekToEnd() },
            { try writer.truncate(atOffset: 0) }, { try writer.synchronize() },
        ] {
            #expect(fileRefusal(call) == .closed)
            let error = #expect(throws: CocoaError.self) { try call() }
            #expect(error?.protectionError?.message == "the file is closed")
        }
        #expect(
            cocoaCode { _ = try ProtectedFileHandle(forWritingTo: rig.url("x"), in: rig.files) }
                == 4)
        #expect(
            cocoaCode { _ = try ProtectedFileHandle(forReadingFrom: rig.url("x"), in: rig.files) }
                == 260)
        #expect(try rig.volume.read("f") == [1])
    }

    @Test func `shared by many threads writes each piece whole`() async throws {
        let rig = try VolumeRig()
        let handle = try rig.files.createFile(at: rig.url("f"))
        await withTaskGroup(of: Void.self) { group in
            for number in 0..<8 {
                group.addTask {
                    for _ in 0..<50 {
                        let piece = [UInt8](repeating: UInt8(number), count: 100)
                        #expect(cocoaCode { try handle.write(contentsOf: piece) } == nil)
                    }
                }
            }
        }
        let content = try rig.volume.read("f")
        #expect(content.count == 40_000)
        for start in stride(from: 0, to: content.count, by: 100) {
            #expect(Set(content[start..<start + 100]).count == 1)
        }
    }

    @Test func `on a file of class complete rests while the volume is locked`() throws {
        let rig = try VolumeRig()
        let handle = try rig.files.createFile(at: rig.url("f"), protection: .complete)
        try handle.write(contentsOf: [1, 2, 3])
        rig.volume.lock()
        #expect(fileRefusal { try handle.write(contentsOf: [4]) } == .sealed)
        #expect(cocoaCode { try handle.write(contentsOf: [4]) } == 513)
        #expect(fileRefusal { try handle.truncate(atOffset: 0) } == .sealed)
        #expect(try handle.offset() == 3, "what failed moved nothing")
        try handle.synchronize()
        try handle.seek(toOffset: 0)
        #expect(fileRefusal { _ = try handle.readToEnd() } == .sealed)
        #expect(cocoaCode { _ = try handle.read(upToCount: 1) } == 257)
        try rig.unlock()
        #expect(try handle.readToEnd() == Data([1, 2, 3]))
        try handle.write(contentsOf: [4])
        #expect(try rig.volume.read("f") == [1, 2, 3, 4])
    }

    @Test func `makes no file in vain`() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("a", class: .complete)
        try rig.make("there", [1])
        rig.volume.lock()
        for (path, type, code) in [
            ("f", FileProtectionType?.some(.complete), 513), ("a/f", nil, 513),
            ("there", .completeUnlessOpen, 516), ("missing/f", FileProtectionType.none, 4),
            ("f", FileProtectionType(rawValue: "x"), 512),
        ] {
            #expect(
                cocoaCode { _ = try rig.files.createFile(at: rig.url(path), protection: type) }
                    == code)
        }
        #expect(try rig.files.subpathsOfDirectory(atPath: ".") == ["a", "there"])
    }
}

/// A file of class `completeUnlessOpen` that is written while somebody locks the device.
@Suite(.bothDoors) struct `A background download` {
    private static let chunks = (0..<6).map { pattern(3000, seed: UInt64($0)) }
    private static var whole: Data { Data(chunks.joined()) }

    private static func expectSealed(_ rig: VolumeRig) {
        let url = rig.url("download")
        let opening: [() throws -> Void] = [
            { _ = try ProtectedFileHandle(forReadingFrom: url, in: rig.files) },
            { _ = try ProtectedFileHandle(forWritingTo: url, in: rig.files) },
            { _ = try ProtectedFileHandle(forUpdating: url, in: rig.files) },
            { _ = try Data(contentsOf: url, in: rig.files) },
            { try Data().write(to: url, in: rig.files) },
            { try rig.files.copyItem(at: url, to: rig.url("copy")) },
        ]
        for open in opening { #expect(fileRefusal(open) == .sealed) }
    }

    /// Writes chunk after chunk, and does something before one of them.
    private static func download(
        _ rig: VolumeRig, at step: Int, _ act: () throws -> Void
    ) throws {
        let handle = try rig.files.createFile(
            at: rig.url("download"), protection: .completeUnlessOpen)
        for (index, chunk) in chunks.enumerated() {
            if index == step { try act() }
            try handle.write(contentsOf: chunk)
            // What is there can be looked at through the handle, whatever the state.
            try handle.seek(toOffset: 0)
            #expect(try handle.readToEnd()?.suffix(3000) == Data(chunk))
        }
        try handle.synchronize()
        if !rig.volume.isProtectedDataAvailable { expectSealed(rig) }
        try handle.close()
    }

    @Test(arguments: RigStore.allCases, [0, 3])
    func `that began unlocked goes on when the device is locked`(store: RigStore, step: Int) throws
    {
        let rig = try VolumeRig(store)
        try Self.download(rig, at: step) { rig.volume.lock() }
        Self.expectSealed(rig)
        try rig.unlock()
        #expect(try Data(contentsOf: rig.url("download"), in: rig.files) == Self.whole)
    }

    @Test(arguments: RigStore.allCases, [LockState.locked, .beforeFirstUnlock])
    func `can begin while locked`(store: RigStore, state: LockState) throws {
        let rig = try VolumeRig(store)
        try rig.enter(state)
        try Self.download(rig, at: 0) {}
        Self.expectSealed(rig)
        try rig.unlock()
        #expect(try Data(contentsOf: rig.url("download"), in: rig.files) == Self.whole)
        #expect(try rig.volume.protectionClass(of: "download") == .completeUnlessOpen)
    }

    @Test(arguments: RigStore.allCases) func `goes through locks and unlocks`(store: RigStore)
        throws
    {
        let rig = try VolumeRig(store)
        rig.volume.lock()
        let handle = try rig.files.createFile(
            at: rig.url("download"), protection: .completeUnlessOpen)
        for (index, chunk) in Self.chunks.enumerated() {
            try handle.write(contentsOf: chunk)
            if index % 2 == 0 { try rig.unlock() } else { rig.volume.lock() }
        }
        try handle.close()
        try rig.unlock()
        #expect(try Data(contentsOf: rig.url("download"), in: rig.files) == Self.whole)
    }

    @Test func `that was made with write and opened again needs an unlock`() throws {
        let rig = try VolumeRig()
        rig.volume.lock()
        try Data().write(
            to: rig.url("download"), options: .completeFileProtectionUnlessOpen, in: rig.files)
        Self.expectSealed(rig)
        try rig.unlock()
        let handle = try ProtectedFileHandle(forWritingTo: rig.url("download"), in: rig.files)
        rig.volume.lock()
        try handle.write(contentsOf: Self.whole)
        try handle.close()
        Self.expectSealed(rig)
    }
}
