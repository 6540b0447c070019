import SimulatedDevice
import Synchronization
import Testing

/// What the tests' scenarios write down about the outside.
final class Log: Sendable {
    private let lines = Mutex<[String]>([])

    var all: [String] { lines.withLock { $0 } }

    func add(_ line: String) { lines.withLock { $0.append(line) } }
}

/// A property that does not hold.
struct Wrong: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
}

/// A scenario on a pretended device, with a log as its world.
typealias LogScenario = ScheduleScenario<PretendDevice, Log>

extension ScheduleScenario<PretendDevice, Log> {
    /// Makes a scenario that begins with an empty log.
    static func logging(
        actions: [ExplorerAction<PretendDevice, Log>] = ExplorerAction.all, stepLimit: Int = 10_000,
        main: @escaping @Sendable (ScheduledRun<PretendDevice, Log>) async throws -> Void,
        check: @escaping @Sendable (ScheduledRun<PretendDevice, Log>) throws -> Void = { _ in }
    ) -> LogScenario {
        ScheduleScenario(
            device: { PretendDevice() }, actions: actions, stepLimit: stepLimit,
            prepare: { _ in Log() }, main: main, check: check)
    }
}

@Suite struct `The schedule explorer` {
    @Test func `finds the one step at which a lock does harm`() throws {
        let scenario = LogScenario.logging(
            main: { run in
                try run.process.write("a", to: "1")
                await Task.yield()
                if run.process.isUnlocked { try run.process.write("b", to: "2") }
            })
        let result = try ScheduleExplorer().explore(scenario)
        let failure = try #require(result.failure)
        #expect(failure.kind == .main)
        #expect(failure.schedule == ["step 1, before task 1 runs: lock"])
    }

    @Test func `tries every action at every step, and combinations when asked`() throws {
        let scenario = LogScenario.logging(
            actions: [.lock, .unlock],
            main: { run in
                for _ in 0..<3 { await Task.yield() }
            })
        let result = try ScheduleExplorer().explore(scenario)
        #expect(result.failure == nil)
        #expect(result.plainStepCount == 7)
        #expect(result.scheduleCount == 1 + 7 * 2)
        #expect(result.stepCount == 15 * 7)
        let pairs = try ScheduleExplorer(depth: 2).explore(scenario)
        #expect(pairs.scheduleCount == 1 + 7 * 2 + 21 * 4)
    }

    @Test func `reports what waits for something that never comes`() throws {
        let result = try ScheduleExplorer().explore(
            LogScenario.logging(main: { run in
                await withCheckedContinuation { continuation in
                    run.world.add("waits")
                    run.device.keep(continuation)
                }
            }))
        let failure = try #require(result.failure)
        #expect(failure.kind == .stuck)
        #expect(failure.reason == "waits for something that never comes, or runs elsewhere")
        #expect(failure.trace == ["1  task 1 runs"])
    }

    @Test func `reports what runs elsewhere`() throws {
        let result = try ScheduleExplorer().explore(
            LogScenario.logging(main: { _ in try await Task.sleep(for: .seconds(1)) }))
        #expect(result.failure?.kind == .stuck)
    }

    @Test func `ends what never ends`() throws {
        let result = try ScheduleExplorer().explore(
            LogScenario.logging(stepLimit: 100, main: { _ in while true { await Task.yield() } }))
        let failure = try #require(result.failure)
        #expect(failure.kind == .endless)
        #expect(failure.reason == "did not end after 100 steps")
        #expect(failure.trace.count == 100)
        let operations = try ScheduleExplorer().explore(
            LogScenario.logging(
                stepLimit: 100, main: { run in while true { _ = try run.process.list() } }))
        #expect(operations.failure?.kind == .endless)
    }

    @Test func `moves the clock when everything waits`() throws {
        let scenario = LogScenario.logging(
            actions: [],
            main: { run in
                async let late: Void = run.device.sleep(for: .seconds(5))
                await run.device.sleep(for: .seconds(2))
                run.note("early")
                await late
            })
        let replay = try ScheduleExplorer().replay("plain", of: scenario)
        #expect(replay.failure == nil)
        #expect(
            replay.trace.filter { !$0.contains("runs") } == [
                "   everything waits: the clock moves on by 2.0 seconds", "   early",
                "   everything waits: the clock moves on by 3.0 seconds",
            ])
    }

    @Test func `brings the user back when everything waits for the unlock`() throws {
        let scenario = LogScenario.logging(
            main: { run in
                while !run.process.isUnlocked { await run.process.waitForUnlock() }
                run.world.add("unlocked")
            },
            check: { run in
                guard run.world.all.last == "unlocked" else { throw Wrong("\(run.world.all)") }
            })
        #expect(try ScheduleExplorer(depth: 2, deeper: 200).explore(scenario).failure == nil)
        let replay = try ScheduleExplorer().replay("1:lock", of: scenario)
        #expect(replay.trace.contains("   everything waits: the user unlocks"))
    }

    @Test func `brings the user back to an app that looks again and again`() throws {
        let scenario = LogScenario.logging(
            main: { run in
                while !run.process.isUnlocked { await run.device.sleep(for: .seconds(1)) }
            })
        #expect(try ScheduleExplorer(deeper: 200).explore(scenario).failure == nil)
    }

    @Test func `ends a life with a kill and begins the next`() throws {
        let scenario = LogScenario.logging(
            actions: [.kill],
            main: { run in
                for number in 1...3 {
                    await Task.yield()
                    if run.isAlive { run.world.add("\(run.life): \(number)") }
                    do { _ = try run.process.list() } catch { run.world.add("closed") }
                }
            },
            check: { run in
                guard run.world.all.last == "\(run.life): 3" else { throw Wrong("not whole") }
            })
        let replay = try ScheduleExplorer().replay("5:kill", of: scenario)
        #expect(replay.failure == nil)
        #expect(replay.trace.contains("   life 2 begins"))
        #expect(try ScheduleExplorer(depth: 2, deeper: 100).explore(scenario).failure == nil)
    }

    @Test func `gives the same trace each time`() throws {
        let scenario = LogScenario.racing
        let seeds = ["plain", "3:lock 5:job1", "2:kill 4:reboot 6:job1"]
        for seed in seeds {
            let first = try ScheduleExplorer().replay(seed, of: scenario)
            let second = try ScheduleExplorer().replay(seed, of: scenario)
            #expect(first.trace == second.trace)
            #expect(first.seed == second.seed)
        }
        let first = try ScheduleExplorer(seed: 7, depth: 0, deeper: 500).explore(scenario)
        let second = try ScheduleExplorer(seed: 7, depth: 0, deeper: 500).explore(scenario)
        #expect(first.stepCount == second.stepCount)
        #expect(first.failure == second.failure)
    }

    @Test func `makes a failing schedule as short as possible`() throws {
        // Fails only if both a lock came while a sends, and b overtook a.
        let result = try ScheduleExplorer(depth: 0, deeper: 5_000).explore(LogScenario.racing)
        let failure = try #require(result.failure)
        #expect(failure.schedule.count <= 6)
        let again = try ScheduleExplorer().replay(failure.seed, of: LogScenario.racing)
        #expect(again.failure == failure)
    }

    @Test func `refuses a seed that is not one`() throws {
        for seed in ["7", "lock", "0:lock", "3:nothing", "3:job0", "-1:lock", "x:lock"] {
            #expect(throws: UnreadableSeed.self) {
                try ScheduleExplorer().replay(seed, of: LogScenario.racing)
            }
        }
    }

    @Test func `gives the same trace in another process`() async throws {
        let seed = "2:kill 4:reboot 6:job1"
        let trace = try ScheduleExplorer().replay(seed, of: LogScenario.racing).trace
        await #expect(processExitsWith: .success) { [trace = trace as [String]] in
            let again = try ScheduleExplorer().replay(
                "2:kill 4:reboot 6:job1", of: LogScenario.racing)
            guard again.trace == trace else { throw Wrong("\(again.trace)") }
        }
    }

    @Test func `tells how quick it is`() throws {
        var result: ScheduleResult?
        let time = try ContinuousClock().measure {
            result = try ScheduleExplorer(depth: 2).explore(
                LogScenario.logging(main: { _ in await Task.yield() }))
        }
        print("\(try #require(result).scheduleCount) schedules in \(time)")
    }
}

extension ScheduleScenario<PretendDevice, Log> {
    /// Two tasks that write down their turns; one of them wants no lock before its last turn.
    static var racing: LogScenario {
        .logging(
            main: { run in
                await withTaskGroup(of: Void.self) { group in
                    for name in ["a", "b"] {
                        group.addTask {
                            for turn in 1...3 {
                                await Task.yield()
                                if run.isAlive { run.world.add("\(name)\(turn)") }
                            }
                            if run.isAlive, !run.process.isUnlocked { run.world.add("locked") }
                        }
                    }
                }
            },
            check: { run in
                let all = run.world.all
                guard let a = all.firstIndex(of: "a1"), let b = all.firstIndex(of: "b2") else {
                    return
                }
                if b < a, all.contains("locked") { throw Wrong("b overtook a under lock") }
            })
    }
}
