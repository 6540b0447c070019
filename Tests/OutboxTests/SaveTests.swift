import DataProtection
import Foundation
import SimulatedDevice
import Testing

@Suite("Saving into an outbox") struct SaveTests {
    @Test func `items come out as they went in, in the order in which they were saved`()
        async throws
    {
        let rig = try OutboxRig()
        let texts = ["third", "first", "", "second", String(repeating: "long ", count: 40_000)]
        for text in texts { try await rig.save(text) }
        #expect(try await rig.drain() == .drained(5))
        #expect(rig.receiver.bodies == texts)
        #expect(rig.receiver.keyCount == 5)
        #expect(rig.receiver.arrivals.allSatisfy { $0.name == "label" && $0.attempt == 1 })
        #expect(try await rig.outbox.items().isEmpty)
        #expect(try await rig.drain() == .drained(0))
    }

    @Test func `the same name twice is two items`() async throws {
        let rig = try OutboxRig()
        let one = try await rig.outbox.save(Data([1]), named: "same")
        let other = try await rig.outbox.save(Data([2]), named: "same")
        #expect(one != other)
        #expect(try await rig.drain() == .drained(2))
        #expect(rig.receiver.keyCount == 2)
    }

    @Test func `nothing that a person wrote is in a name on the disk`() async throws {
        let rig = try OutboxRig()
        try await rig.outbox.save(Data("body".utf8), named: "to: anna@example.org")
        let names =
            try rig.volume.list("Outbox").map(\.name)
            + rig.volume.list("Outbox/0000000000000000").map(\.name)
        #expect(Set(names) == ["log", "0000000000000000", "0000000000000001-4"])
    }

    @Test(arguments: [
        (LockState.unlocked, ProtectionClass.complete),
        (.grace, .complete), (.locked, .completeUnlessOpen),
        (.beforeFirstUnlock, .completeUnlessOpen),
    ])
    func `an item has the class that its lock state allows`(
        state: LockState, expected: ProtectionClass
    ) async throws {
        let rig = try OutboxRig()
        switch state {
        case .unlocked: break
        case .grace: rig.volume.lock(grace: .seconds(10))
        case .locked: rig.volume.lock()
        case .beforeFirstUnlock: try rig.reboot()
        }
        #expect(rig.volume.lockState == state)
        let id = try await rig.save("captured")
        #expect(try await rig.outbox.items().first?.protectionClass == expected)
        #expect(try rig.volume.attributes(of: rig.path(of: id)).protectionClass == expected)
        if state == .locked || state == .beforeFirstUnlock {
            #expect(try await rig.drain() == .waitingForUnlock)
            #expect(rig.receiver.arrivals.isEmpty)
        }
        try rig.unlock()
        #expect(try await rig.drain() == .drained(1))
        #expect(rig.receiver.bodies == ["captured"])
    }

    @Test func `a class that is asked for is not exchanged for another`() async throws {
        let rig = try OutboxRig()
        rig.volume.lock()
        await #expect { try await rig.save("a", class: .complete) } throws: { $0.isLocked }
        #expect(await rig.outbox.status.pendingCount == 0)
        await #expect { try await rig.save("a", class: ProtectionClass.none) } throws: {
            $0.protectionError?.code == .invalidArgument
        }
    }

    @Test func `an outbox that takes nothing while locked says sealed`() async throws {
        var options = OutboxOptions()
        options.classWhileLocked = nil
        let rig = try OutboxRig(options)
        rig.volume.lock()
        await #expect { try await rig.save("a") } throws: { $0.isLocked }
        try rig.unlock()
        #expect(try await rig.drain() == .drained(0))
        #expect(try rig.volume.verify().leftoverCount == 0)
    }

    @Test func `limits refuse loudly and leave nothing`() async throws {
        var options = OutboxOptions()
        options.itemByteLimit = 10
        options.nameByteLimit = 5
        options.itemCountLimit = 3
        options.byteLimit = 20
        let rig = try OutboxRig(options)
        func refusal(_ count: Int, _ name: String = "n") async -> Int32? {
            do {
                try await rig.outbox.save(Data(count: count), named: name)
                return nil
            } catch { return error.errorNumber }
        }
        #expect(await refusal(11) == 27)
        #expect(await refusal(1, "longer") == 36)
        #expect(await refusal(10) == nil)
        #expect(await refusal(10) == nil)
        #expect(await refusal(1) == 122)
        #expect(await refusal(0) == nil)
        #expect(await refusal(0) == 122)
        #expect(await rig.outbox.status.pendingCount == 3)
        #expect(await rig.outbox.status.byteCount == 20)
        #expect(try await rig.drain() == .drained(3))
        #expect(await refusal(10) == nil)
    }

    @Test func `options that make no sense are refused`() throws {
        let rig = try OutboxRig()
        let changes: [(inout OutboxOptions) -> Void] = [
            { $0.protectionClass = .none }, { $0.classWhileLocked = ProtectionClass.none },
            { $0.itemByteLimit = -1 }, { $0.nameByteLimit = 65_536 }, { $0.itemCountLimit = 0 },
            { $0.byteLimit = -1 }, { $0.attemptLimit = 0 }, { $0.sendDeadline = .zero },
            { $0.firstRetryDelay = .zero }, { $0.longestRetryDelay = .seconds(1) },
            { $0.longestWait = .zero },
        ]
        for (index, change) in changes.enumerated() {
            var options = OutboxOptions()
            change(&options)
            #expect(throws: ProtectionError.self, "\(index)") {
                try rig.volume.outbox("Other", options: options)
            }
        }
        #expect(throws: ProtectionError.self) { try rig.volume.outbox("") }
        #expect(throws: ProtectionError.self) { try rig.volume.outbox("/") }
    }

    @Test func `numbers are not used twice, also when the outbox was empty in between`()
        async throws
    {
        let rig = try OutboxRig()
        var numbers: [Int64] = []
        for _ in 0..<3 {
            numbers.append(try await rig.save("a"))
            _ = try await rig.drain()
            try rig.restart()
        }
        #expect(numbers == [1, 2, 3])
    }

    @Test func `one folder has one outbox`() throws {
        let rig = try OutboxRig()
        #expect(try rig.volume.outbox("/Outbox/") === rig.outbox)
        #expect(try rig.volume.outbox("Elsewhere") !== rig.outbox)
        var options = OutboxOptions()
        options.attemptLimit = 1
        #expect { try rig.volume.outbox("Outbox", options: options) } throws: {
            $0.protectionError?.code == .busy
        }
    }

    @Test func `a full disk refuses an item, and the next ones come through when there is room`()
        async throws
    {
        var disk = MemoryStore.Options()
        disk.byteLimit = 300_000
        let rig = try OutboxRig(store: MemoryStore(disk))
        var saved = 0
        while true {
            do {
                try await rig.save("item \(saved)")
                saved += 1
            } catch {
                #expect(error.protectionError?.code == .noSpace)
                break
            }
        }
        #expect(saved > 5)
        // Recording deliveries on the full disk is what makes room on it.
        #expect(try await rig.drain() == .drained(saved))
        #expect(rig.receiver.bodies == (0..<saved).map { "item \($0)" })
        try await rig.save("afterwards")
        try rig.restart()
        #expect(try await rig.drain() == .drained(1))
        #expect(rig.receiver.bodies.last == "afterwards")
    }
}
