import DataProtection
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
        if let error = errors.first { throw Wrong("a drain failed: \(error)") }
        var firsts: [String] = []
        for (index, (life, text)) in texts.enumerated() {
            if !firsts.contains(text) { firsts.append(text) }
            if texts[..<index].contains(where: { $0 == (life, text) }) {
                throw Wrong("\(text) was sent twice")
            }
        }
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
                try device.process.makeFolder("Outbox", class: .complete)
                for (index, text) in texts.enumerated() {
                    try device.process.write(Array(text.utf8), to: "Outbox/\(index)")
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
            _ = try await (one, other)
        }
    }

    /// The app drains when it starts, and after each unlock, until all is sent.
    static func resuming(_ kind: (some Outbox).Type) -> OutboxScenario {
        make { run in
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
        print(result.failure as Any, result.scheduleCount)
    }

    @Test func `sends twice when an unlock resumes what was not over`() throws {
        let clock = ContinuousClock()
        let start = clock.now
        let result = try ScheduleExplorer(depth: 1, deeper: 10_000).explore(
            .resuming(AskingOutbox.self))
        print(result.failure as Any, result.scheduleCount, result.plainStepCount, clock.now - start)
    }

    @Test func `takes a lock for a fault when an unlock comes at once`() throws {
        let clock = ContinuousClock()
        let start = clock.now
        let result = try ScheduleExplorer(depth: 2).explore(.resuming(AskingOutbox.self))
        print(result.failure as Any, result.scheduleCount, clock.now - start)
    }

    @Test func `is right with one drain at a time`() throws {
        let clock = ContinuousClock()
        let start = clock.now
        let together = try ScheduleExplorer(deeper: 500).explore(.together(GuardedOutbox.self))
        #expect(together.failure == nil)
        let result = try ScheduleExplorer(depth: 1, deeper: 500).explore(
            .resuming(GuardedOutbox.self))
        #expect(result.failure == nil)
        print(result, clock.now - start)
    }
}
