import DataProtection
import Foundation
import Synchronization
import TestSupport
import Testing

/// Handles on files: what they share, and what they refuse.
@Suite struct `A handle` {
    @Test(arguments: RigStore.allCases)
    func `works on after its file lost its name`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        try rig.volume.write([1, 2, 3], to: "f", class: .complete)
        let file = try rig.volume.openFile("f", .readWrite)
        try rig.volume.removeFile("f")
        #expect(try rig.volume.list().isEmpty)
        try file.write(pattern(50_000), at: 0)
        try rig.volume.write([9], to: "f")
        #expect(try file.read(at: 0, count: 60_000) == pattern(50_000))
        rig.volume.lock()
        #expect(refusal { _ = try file.read(at: 0, count: 1) } == .sealed)
        try rig.unlock()
        #expect(try file.read(at: 0, count: 60_000) == pattern(50_000))
        file.close()
        #expect(try rig.volume.read("f") == [9])
    }

    @Test(arguments: RigStore.allCases) func `shares its file with the others`(store: RigStore)
        throws
    {
        let rig = try VolumeRig(store)
        let one = try rig.volume.openFile("f", [.readWrite, .create])
        let two = try rig.volume.openFile("f", .readWrite)
        try one.write(pattern(5000), at: 0)
        #expect(two.size == 5000)
        #expect(try two.read(at: 0, count: 5000) == pattern(5000))
        try two.truncate(to: 10)
        #expect(one.size == 10)
        try rig.volume.openFile("f", [.write, .truncate]).close()
        #expect(one.size == 0)
        try one.append([1])
        try two.append([2])
        #expect(try one.read(at: 0, count: 9) == [1, 2])
        try one.setProtectionClass(.complete)
        #expect(two.protectionClass == .complete)
        try rig.volume.rename("f", to: "g")
        try two.append([3])
        #expect(try rig.volume.read("g") == [1, 2, 3])
    }

    @Test func `does only what it was opened for`() throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "f")
        let reader = try rig.volume.openFile("f")
        #expect(refusal { try reader.write([2], at: 0) } == .wrongAccess)
        #expect(refusal { try reader.append([2]) } == .wrongAccess)
        #expect(refusal { try reader.truncate(to: 0) } == .wrongAccess)
        let writer = try rig.volume.openFile("f", .write)
        #expect(refusal { _ = try writer.read(at: 0, count: 1) } == .wrongAccess)
        writer.close()
        writer.close()
        #expect(refusal { try writer.write([2], at: 0) } == .closed)
        let appender = try rig.volume.openFile("f", [.readWrite, .append])
        try appender.write([2], at: 0)
        #expect(try appender.read(at: 0, count: 9) == [1, 2])
        #expect(refusal { _ = try rig.volume.openFile("g") } == .missing)
        #expect(refusal { _ = try rig.volume.openFile("f/g") } == .notFolder)
        #expect(refusal { _ = try rig.volume.openFile("") } == .isFolder)
    }

    @Test func `appends whole, whoever else appends`() throws {
        let rig = try VolumeRig()
        try rig.volume.openFile("f", [.write, .create]).close()
        let volume = rig.volume
        let faults = Mutex(0)
        DispatchQueue.concurrentPerform(iterations: 8) { worker in
            do {
                let file = try volume.openFile("f", [.write, .append])
                for number in 0..<50 {
                    let size = 1 + (worker * 50 + number) * 7 % 5000
                    var record = [UInt8(worker), UInt8(number)] + [UInt8](littleEndian: size)
                    record += [UInt8](repeating: UInt8(worker), count: size)
                    try file.append(record)
                }
            } catch {
                faults.withLock { $0 += 1 }
            }
        }
        #expect(faults.withLock { $0 } == 0)
        try rig.reopen()
        var rest = try rig.volume.read("f")[...]
        var next = [Int](repeating: 0, count: 8)
        while !rest.isEmpty {
            let head = Array(rest.prefix(10))
            let size: Int = head.integer(at: 2)
            let worker = Int(head[0])
            #expect(Int(head[1]) == next[worker])
            next[worker] += 1
            #expect(rest.dropFirst(10).prefix(size).allSatisfy { $0 == head[0] })
            rest = rest.dropFirst(10 + size)
        }
        #expect(next == [Int](repeating: 50, count: 8))
    }

    @Test func `that emptied its file left nothing that the old key opens`() throws {
        let rig = try VolumeRig()
        try rig.volume.write(pattern(9000), to: "f")
        let name = try #require(rig.store.root.list().map(\.name).first { !$0.hasPrefix(".") })
        let before = try FileHeader(bytes: rig.store.root.readAll(name, byteCountMaximum: 4096))
        try rig.volume.openFile("f", [.write, .truncate]).close()
        let bytes = try rig.store.root.readAll(name, byteCountMaximum: 9999)
        let after = try FileHeader(bytes: bytes)
        #expect(bytes.count == 4096)
        #expect(before.fileIdentifier != after.fileIdentifier)
        #expect(before.wrappedKey != after.wrappedKey)
        #expect(before.protectionClass == after.protectionClass)
    }

    @Test func `changes the class without its content being touched`() throws {
        let rig = try VolumeRig()
        try rig.volume.write(pattern(9000), to: "f")
        let name = try #require(rig.store.root.list().map(\.name).first { !$0.hasPrefix(".") })
        let before = try rig.store.root.readAll(name, byteCountMaximum: 20_000)
        for protectionClass in ProtectionClass.allCases {
            try rig.volume.setProtectionClass(protectionClass, of: "f")
            let after = try rig.store.root.readAll(name, byteCountMaximum: 20_000)
            let changed = before.indices.filter { before[$0] != after[$0] }
            #expect(
                changed.allSatisfy {
                    $0 == 8 || (48..<152).contains($0) || (480..<512).contains($0)
                })
            #expect(try rig.volume.read("f") == pattern(9000))
        }
    }
}
