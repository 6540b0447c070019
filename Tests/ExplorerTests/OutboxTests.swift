import DataProtection
import DataProtectionTesting
import SimulatedDevice
import Synchronization
import Testing

/// Who receives what outboxes send, and remembers in which life of the app each was sent.
final class Receiver: Sendable {
    private struct State {
        var texts: [(life: Int, text: String)] = []
        var errors: [String] = []
    }

    private let state = Mutex(State())

    func receive(_ text: String, life: Int) { state.withLock { $0.texts.append((life, text)) } }

    func report(_ error: any Error) { state.withLock { $0.errors.append("\(error)") } }

    /// Everything arrived, in order, and nothing twice from one life: one that ended between a send
    /// and its removal cannot know.
    func check(_ expected: [String]) throws {
        let (texts, errors) = state.withLock { ($0.texts, $0.errors) }
        var firsts: [String] = []
        for (index, (life, text)) in texts.enumerated() {
            if !firsts.contains(text) { firsts.append(text) }
            if texts[..<index].contains(where: { $0 == (life, text) }) {
                throw Wrong("\(text) was sent twice")
            }
        }
        if let error = errors.first { throw Wrong("a drain failed: \(error)") }
        guard firsts == expected else { throw Wrong("received \(firsts)") }
    }
}

/// An outbox of three entries on the engine.
typealias OutboxScenario = ScheduleScenario<EngineDevice, Receiver>
typealias OutboxRun = ScheduledRun<EngineDevice, Receiver>

extension ScheduleScenario<EngineDevice, Receiver> {
    private static var texts: [String] { ["first", "second", "third"] }

    private static func make(
        _ actions: [ExplorerAction<EngineDevice, Receiver>] = ExplorerAction.all,
        main: @escaping @Sendable (OutboxRun) async throws -> Void
    ) -> OutboxScenario {
        ScheduleScenario(
            device: { try EngineDevice() }, actions: actions,
            prepare: { device in
                try device.volume.makeFolder("Outbox", class: .complete)
                for (index, text) in texts.enumerated() {
                    try device.volume.write(Array(text.utf8), to: "Outbox/\(index)")
                }
                return Receiver()
            },
            main: main,
            check: { run in
                try run.world.check(texts)
                guard try run.process.list("Outbox").isEmpty else { throw Wrong("not empty") }
            })
    }

    /// The network: a send suspends before and after it arrives.
    private static func send(_ content: [UInt8], _ run: OutboxRun) async {
        await Task.yield()
        if run.isAlive {
            run.world.receive(String(decoding: content, as: UTF8.self), life: run.life)
        }
        await Task.yield()
    }

    /// Two parts of the app drain at once.
    static func together(_ kind: (some Outbox).Type) -> OutboxScenario {
        make([]) { run in
            let outbox = kind.init(run.process)
            async let one = outbox.drain { await send($0, run) }
            async let other = outbox.drain { await send($0, run) }
            do {
                _ = try await (one, other)
            } catch {
                run.world.report(error)
            }
        }
    }

    /// The app drains when it starts, and after each unlock, until all is sent.
    static func resuming(
        _ kind: (some Outbox).Type,
        actions: [ExplorerAction<EngineDevice, Receiver>] = ExplorerAction.all
    ) -> OutboxScenario {
        make(actions) { run in
            let outbox = kind.init(run.process)
            let (drains, continuation) = AsyncStream.makeStream(of: Void.self)
            let resume: @Sendable () -> Void = {
                _ = Task(executorPreference: run.executor) {
                    do {
                        let status = try await outbox.drain { await send($0, run) }
                        if case .drained = status { continuation.finish() }
                    } catch {
                        if run.isAlive { run.world.report(error) }
                        continuation.finish()
                    }
                }
            }
            let observation = run.process.observeLock { event in
                if event == .didBecomeAvailable { resume() }
            }
            resume()
            for await _ in drains {}
            observation.cancel()
        }
    }
}

@Suite struct `An outbox under every schedule` {
    @Test func `sends twice when two drains run together`() throws {
        let result = try ScheduleExplorer().explore(.together(AskingOutbox.self))
        let failure = try #require(result.failure)
        #expect(failure.reason == "first was sent twice")
        #expect(failure.schedule.isEmpty)
        #expect(failure.trace.count { $0.contains("openFile in task") } > 3)
    }

    @Test func `sends twice when a lock and an unlock resume what was not over`() throws {
        let clock = ContinuousClock()
        let start = clock.now
        let scenario = OutboxScenario.resuming(AskingOutbox.self)
        let result = try ScheduleExplorer(depth: 0, deeper: 1_000).explore(scenario)
        let failure = try #require(result.failure)
        print("Found after \(result.scheduleCount) schedules, with all in \(clock.now - start).")
        print(failure)
        #expect(failure.reason == "first was sent twice")
        #expect(failure.schedule.count == 2)
        #expect(failure.schedule.first?.hasSuffix(": lock") == true)
        #expect(failure.schedule.last?.hasSuffix(": unlock") == true)
        #expect(try ScheduleExplorer().replay(failure.seed, of: scenario).failure == failure)
    }

    /// All pairs of a lock and an unlock find this as the 1480th schedule.
    @Test func `takes a lock for a fault when an unlock comes before it asks`() throws {
        let scenario = OutboxScenario.resuming(SerialOutbox.self, actions: [.lock, .unlock])
        let replay = try ScheduleExplorer().replay("9:lock 11:unlock", of: scenario)
        let failure = try #require(replay.failure)
        #expect(failure.reason.contains("cannot be opened while locked"))
        #expect(failure.schedule.count == 2)
    }

    @Test func `is right with one drain at a time and the read as the truth`() throws {
        let clock = ContinuousClock()
        let start = clock.now
        try ScheduleExplorer(deeper: 50).explore(.together(GuardedOutbox.self)).expectSuccess()
        let result = try ScheduleExplorer(deeper: 50).explore(.resuming(GuardedOutbox.self))
        result.expectSuccess()
        print("\(result.scheduleCount) schedules of the engine in \(clock.now - start).")
    }
}
