import DataProtection
import Synchronization
import Testing

/// Lets one call of a store fail.
private final class Fault: Sendable {
    private struct Plan {
        var operation: HostCall.Operation
        var code: Int32
        var skipCount: Int
    }

    private let plan = Mutex<Plan?>(nil)

    /// The next call of this kind fails, after so many that do not.
    func arm(_ operation: HostCall.Operation, _ code: Int32, after skipCount: Int = 0) {
        plan.withLock { $0 = Plan(operation: operation, code: code, skipCount: skipCount) }
    }

    /// Ends it.
    ///
    /// - Returns: whether a call has failed.
    func disarm() -> Bool {
        plan.withLock { plan in
            defer { plan = nil }
            return plan == nil
        }
    }

    var options: MemoryStore.Options {
        var options = MemoryStore.Options()
        options.onCall = { call throws(HostError) in
            let code = self.plan.withLock { plan -> Int32? in
                guard plan?.operation == call.operation else { return nil }
                guard plan!.skipCount == 0 else {
                    plan!.skipCount -= 1
                    return nil
                }
                defer { plan = nil }
                return plan!.code
            }
            if let code { throw HostError(code: code, call: "\(call.operation)") }
        }
        return options
    }
}

/// What stays as it was when the host fails a call.
@Suite struct `A call that the host fails` {
    private static let long = String(repeating: "n", count: 200)

    @Test func `leaves the name of what has a long one`() throws {
        let fault = Fault()
        let rig = try VolumeRig(options: fault.options)
        try rig.volume.makeFolder(Self.long)
        try rig.volume.write([1], to: "file")
        fault.arm(.attributesOfEntry, HostError.inputOutput)
        #expect(refusal { try rig.volume.makeFolder(Self.long) } == .host)
        fault.arm(.attributesOfEntry, HostError.inputOutput, after: 1)
        #expect(refusal { try rig.volume.link("file", to: Self.long) } != nil)
        fault.arm(.rename, HostError.inputOutput)
        #expect(refusal { try rig.volume.rename(Self.long, to: "other" + Self.long) } == .host)
        fault.arm(.attributesOfEntry, HostError.inputOutput, after: 1)
        #expect(refusal { try rig.volume.rename("file", to: Self.long) } != nil)
        #expect(try rig.volume.list().map(\.name) == ["file", Self.long])
        #expect(try rig.volume.verify().leftoverCount == 0)
    }

    /// How programs save over `target`, or beside `db`; each needs to know a class.
    private enum Habit: CaseIterable {
        case rename, exchange, replace, replaceThroughLink, companion

        var path: String { self == .companion ? "db-wal" : "target" }

        func perform(_ volume: ProtectedVolume) throws {
            switch self {
            case .rename: try volume.rename("source", to: "target")
            case .exchange: try volume.rename("source", to: "target", rule: .exchange)
            case .replace: try volume.write([2], to: "target")
            case .replaceThroughLink: try volume.write([2], to: "link")
            case .companion: try volume.openFile("db-wal", [.write, .create]).close()
            }
        }
    }

    @Test(arguments: 0..<8) func `does not cost a class`(skipCount: Int) throws {
        var firedCount = 0
        for operation in HostCall.Operation.allCases where !operation.changesSomething {
            for habit in Habit.allCases {
                let fault = Fault()
                let rig = try VolumeRig(options: fault.options)
                try rig.volume.write([1], to: "target", class: .complete)
                try rig.volume.write([2], to: "source", class: ProtectionClass.none)
                try rig.volume.write([3], to: "db", class: .complete)
                try rig.volume.makeSymbolicLink("link", target: "target")
                fault.arm(operation, HostError.inputOutput, after: skipCount)
                let code = refusal { try habit.perform(rig.volume) }
                guard fault.disarm() else { continue }
                firedCount += 1
                if habit == .companion, code != nil {
                    #expect(refusal { _ = try rig.volume.attributes(of: "db-wal") } == .missing)
                    continue
                }
                let found = try rig.volume.protectionClass(of: habit.path)
                #expect(found == .complete, "\(habit) \(operation)")
                #expect(try rig.volume.attributes(of: "link").kind == .symlink)
                if habit == .exchange, code == nil {
                    #expect(try rig.volume.protectionClass(of: "source") == .complete)
                }
            }
        }
        #expect(skipCount > 3 || firedCount > 0)
    }

    @Test func `leaves no file that was never whole`() throws {
        let fault = Fault()
        let rig = try VolumeRig(options: fault.options)
        fault.arm(.fileAttributes, HostError.inputOutput)
        #expect(refusal { try rig.volume.openFile(Self.long, [.write, .create]).close() } == .host)
        #expect(try rig.volume.list().isEmpty)
        #expect(try rig.volume.verify().leftoverCount == 0)
    }

    @Test func `leaves the kept mode`() throws {
        let fault = Fault()
        let rig = try VolumeRig(options: fault.options)
        try rig.volume.write([1], to: "file", mode: 0o640)
        try rig.volume.makeFolder("folder", mode: 0o500)
        let change = AttributeChange(mode: 0o000)
        fault.arm(.setFileAttributes, HostError.notPermitted, after: 1)
        #expect(refusal { try rig.volume.setAttributes(change, of: "file") } == .forbidden)
        fault.arm(.setAttributesInFolder, HostError.notPermitted, after: 1)
        #expect(refusal { try rig.volume.setAttributes(change, of: "folder") } == .forbidden)
        for _ in 0..<2 {
            #expect(try rig.volume.attributes(of: "file").mode == 0o640)
            #expect(try rig.volume.attributes(of: "folder").mode == 0o500)
            try rig.reopen()
        }
    }

    @Test func `for want of holes writes zeros where there was data alone`() throws {
        let writeCount = Atomic(0)
        var options = MemoryStore.Options()
        options.onCall = { call throws(HostError) in
            if call.operation == .punchHole {
                throw HostError(code: HostError.notSupported, call: "fallocate")
            }
            if call.operation == .write { writeCount.add(1, ordering: .relaxed) }
        }
        let rig = try VolumeRig(options: options)
        let file = try rig.volume.openFile("a", [.readWrite, .create])
        try file.write(pattern(100_000), at: 0)
        try file.write(pattern(100_000), at: 1 << 27)
        try file.write([2], at: 1 << 32)
        writeCount.store(0, ordering: .relaxed)
        try file.punchHole(5..<1 << 32)
        #expect(writeCount.load(ordering: .relaxed) < 20)
        #expect(try file.read(at: 0, count: 5) == Array(pattern(5)))
        #expect(try file.read(at: 5, count: 100_000).allSatisfy { $0 == 0 })
        #expect(try file.read(at: 1 << 27, count: 100_000).allSatisfy { $0 == 0 })
        #expect(try file.read(at: 1 << 32, count: 2) == [2])
    }
}
