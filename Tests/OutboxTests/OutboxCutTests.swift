import DataProtection
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// What happened, and at which operation of the disk.
final class OutboxHistory: Sendable {
    enum Event: Hashable {
        /// The item with this body is durable.
        case saved(String)
        /// Somebody asked for it to be dropped.
        case dropping(String)
        /// It was dropped for good.
        case dropped(String)
        /// The receiver has it.
        case arrived(String, key: String)
        /// The delivery was written down.
        case settled(String)
    }

    private let events = Mutex<[(operation: Int, event: Event)]>([])
    private let unsettled = Mutex<String?>(nil)

    func note(_ event: Event, at operation: Int) {
        events.withLock { $0.append((operation, event)) }
    }

    /// The receiver has an item; what becomes of it in the outbox is seen at the next step.
    func arrived(_ text: String, key: String, at operation: Int) {
        note(.arrived(text, key: key), at: operation)
        unsettled.withLock { $0 = text }
    }

    /// The step after an arrival: the delivery was written down by now.
    func settle(at operation: Int) {
        let text = unsettled.withLock { text in
            defer { text = nil }
            return text
        }
        if let text { note(.settled(text), at: operation) }
    }

    /// What had happened when the power failed.
    func events(before operation: Int) -> Set<Event> {
        Set(events.withLock { $0 }.filter { $0.operation <= operation }.map(\.event))
    }

    /// Everything.
    var all: [Event] { events.withLock { $0.map(\.event) } }
}

/// The power fails after each operation of the disk, in an outbox at work; and the process is
/// killed there. Rows 1 to 12 and 16 of the crash matrix.
@Suite("A power cut in an outbox", .timeLimit(.minutes(30))) struct OutboxCutTests {
    /// A session with everything that can happen to an item.
    private static func work(_ rig: OutboxRig, _ store: CrashingStore) async throws -> OutboxHistory
    {
        let history = OutboxHistory()
        func save(_ text: String) async throws -> Int64 {
            let id = try await rig.save(text)
            history.note(.saved(text), at: store.operationCount)
            return id
        }
        rig.receiver.answer { item in
            let text = String(decoding: item.body, as: UTF8.self)
            history.settle(at: store.operationCount)
            if text.hasPrefix("later"), item.attempt == 1 {
                throw OutboxFailure.tryLater(after: .seconds(5))
            }
            if text.hasPrefix("refused") { throw OutboxFailure.refused("no") }
            history.arrived(text, key: item.key, at: store.operationCount)
        }
        for text in ["a", "later b", "c " + String(repeating: "long", count: 5000)] {
            _ = try await save(text)
        }
        _ = try await rig.drain()
        history.settle(at: store.operationCount)
        rig.pass(10)
        let refused = try await save("refused d")
        _ = try await save("e")
        #expect(try await rig.drain() == .blocked(refused, .refused))
        history.settle(at: store.operationCount)
        history.note(.dropping("refused d"), at: store.operationCount)
        try await rig.outbox.drop(refused)
        history.note(.dropped("refused d"), at: store.operationCount)
        rig.volume.lock()
        _ = try await save("captured f")
        #expect(try await rig.drain() == .waitingForUnlock)
        try rig.unlock()
        _ = try await rig.drain()
        history.settle(at: store.operationCount)
        return history
    }

    /// What is right after a cut.
    private static func check(
        _ rig: OutboxRig, _ history: OutboxHistory, cut: Int, _ what: String
    ) async throws {
        rig.receiver.answer(nil)
        rig.pass(100_000)
        var status = try await rig.drain()
        if case .blocked(let id, _) = status {
            try await rig.outbox.retry(id)
            status = try await rig.drain()
        }
        guard case .drained = status else {
            Issue.record("\(what): \(status)")
            return
        }
        let came = rig.receiver.arrivals
        let before = history.events(before: cut)
        let keys = Dictionary(
            history.all.compactMap { event -> (String, String)? in
                if case .arrived(let text, let key) = event { (text, key) } else { nil }
            }, uniquingKeysWith: { one, _ in one })
        for event in before {
            guard case .saved(let text) = event else { continue }
            let hadArrived = before.contains { event in
                if case .arrived(text, _) = event { true } else { false }
            }
            let isDone = hadArrived || before.contains(.dropping(text))
            #expect(isDone || came.contains { $0.body == text }, "\(what): lost '\(text)'")
        }
        for arrival in came {
            let text = arrival.body
            #expect(!before.contains(.settled(text)), "\(what): '\(text)' twice though settled")
            #expect(!before.contains(.dropped(text)), "\(what): '\(text)' though dropped")
            #expect(keys[text] == nil || keys[text] == arrival.key, "\(what): another key")
        }
        let order = history.all.compactMap { if case .saved(let text) = $0 { text } else { nil } }
        let places = came.map { order.firstIndex(of: $0.body) ?? order.count }
        #expect(places == places.sorted(), "\(what): order \(came.map(\.body))")
        #expect(Set(came.map(\.key)).count == came.count, "\(what): a key twice in one drain")
        #expect(try rig.volume.verify().damagedCount == 0, "\(what)")
        #expect(try await rig.outbox.items().isEmpty, "\(what)")
    }

    @Test(arguments: [CommitRule.wholeJournal, .onlyTheSynced])
    func `loses nothing that was saved, and sends nothing again that was written down`(
        rule: CommitRule
    ) async throws {
        let store = CrashingStore(commitRule: rule)
        let rig = try OutboxRig(store: store)
        let start = store.operationCount
        let history = try await Self.work(rig, store)
        let end = store.operationCount
        #expect(end - start > 80)
        var count = 0
        for cut in start...end {
            var outcomes: [CutOutcome] = [.nothingUnsynced, .everything]
            outcomes += (0..<3).map { .random(seed: UInt64(cut * 3 + $0)) }
            for outcome in outcomes {
                try rig.restart(on: store.cut(outcome, afterOperation: cut))
                rig.receiver.forget()
                try await Self.check(rig, history, cut: cut, "\(rule) \(outcome) at \(cut)")
                count += 1
            }
        }
        print("outbox cuts: \(count) at \(end - start) operations, rule \(rule)")
    }

    /// The log forgets an item only after its file is gone for certain.
    @Test(arguments: [CommitRule.wholeJournal, .onlyTheSynced])
    func `brings nothing back that the log has forgotten`(rule: CommitRule) async throws {
        let store = CrashingStore(commitRule: rule)
        let rig = try OutboxRig(store: store)
        let count = 700
        for number in 0..<count { try await rig.save("\(number)") }
        let volume = rig.volume
        let window = Mutex<(first: Int, last: Int, sent: Int, size: Int64)>((0, 0, 0, 0))
        rig.receiver.answer { item in
            let size = try volume.attributes(of: "Outbox/log").size
            window.withLock { window in
                guard window.last == 0 else { return }
                if size < window.size { window.last = store.operationCount }
                if window.last == 0 { window.first = store.operationCount }
                (window.size, window.sent) = (size, Int(item.id) - 1)
            }
        }
        #expect(try await rig.drain() == .drained(count))
        rig.receiver.answer(nil)
        let (first, last, sent, _) = window.withLock { $0 }
        try #require(last > first, "the log was not shortened")
        for cut in first...last {
            for outcome in [CutOutcome.nothingUnsynced, .everything, .random(seed: UInt64(cut))] {
                try rig.restart(on: store.cut(outcome, afterOperation: cut))
                rig.receiver.forget()
                _ = try await rig.drain()
                let again = rig.receiver.bodies.filter { Int($0)! < sent - 1 }
                #expect(again.isEmpty, "\(rule) \(outcome) at \(cut): \(again.prefix(3))")
            }
        }
    }
}
