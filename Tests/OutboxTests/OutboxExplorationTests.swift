import DataProtection
import DataProtectionTesting
import Foundation
import SimulatedDevice
import Synchronization
import Testing

/// The outbox under every schedule: a lock, an unlock, a reboot and a kill at each step of the
/// engine and at each suspension.
@Suite("An outbox under every schedule", .timeLimit(.minutes(30))) struct OutboxExplorationTests {
    /// The world outside the device: it outlasts every life of the app.
    final class World: Sendable {
        struct State {
            /// What was durable when `save` returned.
            var saved: [String] = []
            /// What came, with the life of the app that sent it.
            var arrived: [(life: Int, key: String, text: String)] = []
        }

        let state = Mutex(State())
    }

    struct Fault: Error, CustomStringConvertible {
        let description: String
        init(_ description: String) { self.description = description }
    }

    static let texts = ["one", "two", "three"]

    /// An app that saves three items, drains from two places at once, and waits for the unlock.
    private static func app(_ run: ScheduledRun<SimulatedDevice, World>) async throws {
        let outbox = try run.volume.outbox("Outbox")
        for text in texts where !run.world.state.withLock({ $0.saved.contains(text) }) {
            try await outbox.save(Data(text.utf8), named: text)
            if run.isAlive { run.world.state.withLock { $0.saved.append(text) } }
        }
        let send: @Sendable (OutboxItem) async throws -> Void = { item in
            await Task.yield()
            if run.isAlive {
                let text = String(decoding: item.body, as: UTF8.self)
                run.world.state.withLock { $0.arrived.append((run.life, item.key, text)) }
            }
            await Task.yield()
        }
        for await isAvailable in run.volume.protectedDataChanges where isAvailable {
            async let first = outbox.drain(send: send)
            async let second = outbox.drain(send: send)
            let statuses = try await [first, second]
            if statuses.contains(where: { if case .drained = $0 { true } else { false } }) {
                return
            }
            guard statuses.allSatisfy({ $0 == .waitingForUnlock }) else {
                throw Fault("\(statuses)")
            }
        }
    }

    private static func check(_ run: ScheduledRun<SimulatedDevice, World>) throws {
        let (saved, arrived) = run.world.state.withLock { ($0.saved, $0.arrived) }
        for text in texts {
            let arrivals = arrived.filter { $0.text == text }
            // What was saved twice, because a kill came before the first save was heard of, are
            // two items with a key each.
            guard !saved.contains(text) || !arrivals.isEmpty else { throw Fault("lost '\(text)'") }
            for (key, same) in Dictionary(grouping: arrivals, by: \.key) {
                guard Set(same.map(\.life)).count == same.count else {
                    throw Fault("'\(text)' twice in one life, under key \(key.prefix(4))")
                }
            }
        }
        var seen: Set<String> = []
        let order = arrived.filter { seen.insert($0.key).inserted }.map(\.text)
        let places = order.map { texts.firstIndex(of: $0)! }
        guard places == places.sorted() else { throw Fault("order \(order)") }
        guard try run.volume.outbox("Outbox").folder == "Outbox" else { throw Fault("folder") }
        guard try run.volume.verify().damagedCount == 0 else { throw Fault("damage") }
    }

    private static let scenario = ScheduleScenario(
        actions: ExplorerAction.all + [.powerCut], prepare: { _ in World() },
        main: { try await app($0) }, check: { try check($0) })

    @Test func `loses nothing and sends nothing twice`() throws {
        let explorer = ScheduleExplorer(seed: 20_261_130, deeper: 200)
        let result = try explorer.explore(Self.scenario)
        result.expectSuccess()
        #expect(result.scheduleCount > 400)
        print(
            "outbox schedules: \(result.scheduleCount), \(result.plainStepCount) steps each, "
                + "\(result.stepCount) steps in all")
    }
}
