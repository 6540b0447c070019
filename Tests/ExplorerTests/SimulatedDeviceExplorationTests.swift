import DataProtection
import DataProtectionTesting
import SimulatedDevice
import Testing

@Suite struct `A simulated device under every schedule` {
    @Test func `finds the drain that does not wait for the unlock`() throws {
        let result = try ScheduleExplorer().explore(
            ScheduleScenario(
                prepare: { device in
                    try device.volume.write(Array("entry".utf8), to: "1", class: .complete)
                    return Log()
                },
                main: { run in
                    run.world.add(String(decoding: try run.volume.read("1"), as: UTF8.self))
                },
                check: { run in
                    guard run.world.all == ["entry"] else { throw Wrong("\(run.world.all)") }
                }))
        let failure = try #require(result.failure)
        #expect(failure.kind == .main)
        #expect(failure.schedule == ["step 1, before task 1 runs: lock"])
    }

    @Test func `passes the drain that waits, on the device's clock as well`() throws {
        let scenario = ScheduleScenario(
            prepare: { device in
                try device.volume.write(Array("entry".utf8), to: "1", class: .complete)
                return Log()
            },
            main: { run in
                for await isAvailable in run.volume.protectedDataChanges where isAvailable {
                    try await run.device.clock.sleep(for: .seconds(1))
                    guard let bytes = try? run.volume.read("1") else { continue }
                    if run.isAlive { run.world.add(String(decoding: bytes, as: UTF8.self)) }
                    return
                }
            },
            check: { run in
                guard run.world.all.last == "entry" else { throw Wrong("\(run.world.all)") }
            })
        try ScheduleExplorer(deeper: 20).explore(scenario).expectSuccess()
        let explorer = ScheduleExplorer()
        let seed = "1:lock 3:kill 5:reboot"
        let first = try explorer.replay(seed, of: scenario)
        #expect(first.trace == (try explorer.replay(seed, of: scenario)).trace)
        #expect(first.trace.contains("   everything waits: the clock moves on by 1.0 seconds"))
        #expect(first.trace.contains("   everything waits: the user unlocks"))
    }
}
