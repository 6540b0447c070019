import DataProtection
import Foundation
import Synchronization
import TestSupport
import Testing

@Suite("A host that fails an outbox") struct OutboxFaultTests {
    /// Makes kinds of host calls fail while it is on.
    private final class Fault: Sendable {
        private let failing = Mutex<Set<HostCall.Operation>>([])

        func set(_ operations: Set<HostCall.Operation>) { failing.withLock { $0 = operations } }

        var store: MemoryStore {
            var options = MemoryStore.Options()
            options.onCall = { (call) throws(HostError) in
                if self.failing.withLock({ $0 }).contains(call.operation) {
                    throw HostError(code: HostError.noSpace, call: "\(call.operation)")
                }
            }
            return MemoryStore(options)
        }
    }

    @Test func `a delivery that cannot be written down is known by its file being gone`()
        async throws
    {
        let fault = Fault()
        let rig = try OutboxRig(store: fault.store)
        for number in 0..<3 { try await rig.save("\(number)") }
        // The marker is unclean by now, so nothing but the log has to be written.
        rig.receiver.answer { _ in fault.set([.write, .createFile]) }
        #expect(try await rig.drain() == .drained(3))
        fault.set([])
        rig.volume.abandon()
        try rig.restart()
        #expect(try await rig.drain() == .drained(0))
        #expect(rig.receiver.bodies == ["0", "1", "2"])
    }

    @Test(arguments: [true, false])
    func `a delivery that leaves no trace is said, and sent again in another process alone`(
        ends: Bool
    ) async throws {
        let fault = Fault()
        let rig = try OutboxRig(store: fault.store)
        for number in 0..<2 { try await rig.save("\(number)") }
        rig.receiver.answer { _ in fault.set([.write, .createFile, .removeFile]) }
        let (outbox, receiver) = (rig.outbox, rig.receiver)
        await #expect { try await outbox.drain(send: receiver.send) } throws: {
            $0.protectionError?.code == .noSpace
        }
        receiver.answer(nil)
        fault.set([])
        if ends {
            rig.volume.abandon()
            try rig.restart()
            #expect(try await rig.drain() == .drained(2))
            #expect(receiver.bodies == ["0", "0", "1"])
        } else {
            #expect(try await rig.drain() == .drained(1))
            rig.volume.abandon()
            try rig.restart()
            #expect(try await rig.drain() == .drained(0))
            #expect(receiver.bodies == ["0", "1"])
        }
        #expect(receiver.keyCount == 2)
    }

    @Test(arguments: [
        HostCall.Operation.createFile, .write, .syncFile, .rename, .syncFolder, .makeFolder,
    ])
    func `a save that fails leaves nothing, at whichever call`(operation: HostCall.Operation)
        async throws
    {
        let fault = Fault()
        let rig = try OutboxRig(store: fault.store)
        try rig.volume.write([1], to: "before")
        fault.set([operation])
        await #expect { try await rig.save("0") } throws: {
            $0.protectionError?.code == .noSpace
        }
        #expect(await rig.outbox.status.pendingCount == 0)
        fault.set([])
        try await rig.save("1")
        #expect(try await rig.drain() == .drained(1))
        #expect(rig.receiver.bodies == ["1"])
        #expect(try rig.volume.verify().leftoverCount == 0)
    }
}
