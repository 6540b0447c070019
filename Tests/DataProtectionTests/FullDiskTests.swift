import DataProtection
import Synchronization
import TestSupport
import Testing

/// Disks that are full, and host calls that fail.
@Suite struct `A full disk` {
    private static let long = String(repeating: "n", count: 255)

    private func rig(_ byteLimit: Int64) throws -> VolumeRig {
        var options = MemoryStore.Options()
        options.byteLimit = byteLimit
        return try VolumeRig(options: options)
    }

    private func fill(_ rig: VolumeRig, leaving count: Int) throws {
        let file = try rig.volume.openFile("ballast", [.write, .create])
        while refusal({ try file.append([UInt8](repeating: 1, count: 4052)) }) == nil {}
        let keep = max(0, Int(file.size) - count * 4052)
        try file.truncate(to: Int64(keep))
    }

    @Test func `leaves the old content whole, and takes the new when there is space`() throws {
        let rig = try rig(600_000)
        let old = pattern(9000)
        let new = pattern(60_000, seed: 2)
        try rig.volume.write(old, to: "f")
        try fill(rig, leaving: 3)
        let file = try rig.volume.openFile("f", .readWrite)
        let names = try rig.store.root.list().map(\.name).sorted()
        let calls: [() throws -> Void] = [
            { try file.append(new) }, { try file.write(new, at: 9000) },
            { try file.write(new, at: 5000) }, { try file.write(new, at: 30_000) },
            { try file.write(new, at: 12_000) }, { try file.truncate(to: 60_000) },
            { try rig.volume.write(new, to: "f") },
            {
                try rig.volume.replaceFile("f") { (file) throws(ProtectionError) in
                    try file.write(new, at: 0)
                }
            },
        ]
        for (index, call) in calls.enumerated() {
            #expect(refusal(call) == .noSpace, "\(index)")
            #expect(file.size == 9000, "\(index)")
            let found = try file.read(at: 0, count: 10_000)
            // A write inside the file may have got as far as the old end.
            let kept = index == 2 ? 5000 : 9000
            #expect(found.count == 9000, "\(index)")
            #expect(found.prefix(kept) == old.prefix(kept), "\(index)")
            #expect(try rig.store.root.list().map(\.name).sorted() == names, "\(index)")
            if index == 2 { try file.write(old, at: 0) }
        }
        try rig.volume.removeFile("ballast")
        try file.append(new)
        #expect(try rig.volume.read("f") == old + new)
        try rig.volume.write(new, to: "f")
        try rig.reopen()
        #expect(try rig.volume.read("f") == new)
    }

    @Test func `leaves no entry of what could not be made`() throws {
        let rig = try rig(200_000)
        try rig.volume.write([1], to: "warm")
        let before = try rig.store.root.list().map(\.name).sorted()
        try fill(rig, leaving: 0)
        let names = try rig.store.root.list().map(\.name).sorted()
        for name in ["f", Self.long] {
            for protectionClass in ProtectionClass.allCases {
                let code = refusal {
                    _ = try rig.volume.openFile(name, [.write, .create], class: protectionClass)
                }
                #expect(code == .noSpace)
                #expect(
                    refusal { try rig.volume.write([1], to: name, class: protectionClass) }
                        == .noSpace)
            }
            #expect(try rig.store.root.list().map(\.name).sorted() == names)
        }
        try rig.volume.removeFile("ballast")
        #expect(try rig.store.root.list().map(\.name).sorted() == before)
        try rig.volume.write([1], to: Self.long)
        #expect(try rig.volume.read(Self.long) == [1])
    }

    /// A switch that makes one kind of host call fail.
    private final class Fault: Sendable {
        private let operation = Mutex<HostCall.Operation?>(nil)
        private let sparing: String

        /// Spares host names that begin so.
        init(sparing: String = ".m") { self.sparing = sparing }

        func set(_ failing: HostCall.Operation?) { operation.withLock { $0 = failing } }

        var options: MemoryStore.Options {
            var options = MemoryStore.Options()
            options.onCall = { (call) throws(HostError) in
                if self.operation.withLock({ $0 }) == call.operation,
                    !call.name.hasPrefix(self.sparing)
                {
                    throw HostError(code: HostError.noSpace, call: "\(call.operation)")
                }
            }
            return options
        }
    }

    @Test(arguments: [
        HostCall.Operation.createFile, .makeSymlink, .write, .rename, .makeFolder, .syncFile,
    ])
    func `at any step leaves neither entry nor link`(operation: HostCall.Operation) throws {
        let fault = Fault()
        let rig = try VolumeRig(options: fault.options)
        try rig.volume.write([1], to: "f")
        try rig.volume.write([2], to: "g", class: .complete)
        let names = try rig.store.root.list().map(\.name).sorted()
        let calls: [() throws -> Void] = [
            { try rig.volume.openFile(Self.long, [.write, .create]).close() },
            { try rig.volume.write([1], to: Self.long) }, { try rig.volume.makeFolder(Self.long) },
            { try rig.volume.rename("f", to: Self.long) },
        ]
        for (index, call) in calls.enumerated() {
            fault.set(operation)
            let code = refusal(call)
            fault.set(nil)
            #expect(code == nil || code == .noSpace, "\(index)")
            if code != nil {
                #expect(try rig.store.root.list().map(\.name).sorted() == names, "\(index)")
                #expect(try rig.volume.read("f") == [1])
                continue
            }
            switch index {
            case 2: try rig.volume.removeFolder(Self.long)
            case 3: try rig.volume.rename(Self.long, to: "f")
            default: try rig.volume.removeFile(Self.long)
            }
        }
        #expect(try rig.volume.read("g") == [2])
    }

    @Test func `while a file is emptied is an empty file afterwards, not a damaged one`() throws {
        let fault = Fault(sparing: ".")
        let rig = try VolumeRig(options: fault.options)
        try rig.volume.write(pattern(9000), to: "f", class: .complete)
        try rig.reopen()
        let file = try rig.volume.openFile("f", .readWrite)
        fault.set(.write)
        #expect(refusal { try file.truncate(to: 0) } == .noSpace)
        fault.set(nil)
        #expect(file.size == 0)
        file.close()
        try rig.reopen()
        #expect(try rig.volume.read("f") == [])
        #expect(try rig.volume.protectionClass(of: "f") == .complete)
        try rig.volume.write([1], to: "f", class: .complete)
        #expect(try rig.volume.read("f") == [1])
    }
}
