import DataProtection
import Foundation
import SimulatedDevice
import Synchronization
import Testing

/// Who gets what is sent, and knows keys.
final class Receiver: Sendable {
    private struct State {
        var keys: Set<String> = []
        var texts: [String] = []
        var errors: [String] = []
    }

    private let state = Mutex(State())

    /// - Parameter key: `nil` for a sender without keys.
    func receive(_ text: String, key: String? = nil) {
        state.withLock { state in
            if let key, !state.keys.insert(key).inserted { return }
            state.texts.append(text)
        }
    }

    func report(_ error: any Error) { state.withLock { $0.errors.append("\(error)") } }

    func check(_ expected: [String]) throws {
        let (texts, errors) = state.withLock { ($0.texts, $0.errors) }
        guard texts == expected else { throw Fault("received \(texts)") }
        if let error = errors.first { throw Fault("a drain failed: \(error)") }
    }
}

struct Fault: Error, CustomStringConvertible {
    let description: String
    init(_ description: String) { self.description = description }
}

/// What Documentation.docc tells of outboxes.
@Suite struct `Outboxes under every schedule` {
    private typealias Scenario = ScheduleScenario<SimulatedDevice, Receiver>
    private static let texts = ["first", "second"]

    /// The network: it takes a while until something arrives.
    private static func send(
        _ text: String, _ key: String?, _ run: ScheduledRun<SimulatedDevice, Receiver>
    ) async {
        await Task.yield()
        guard run.isAlive else { return }
        run.note("\(text) arrives")
        run.world.receive(text, key: key)
    }

    private static func text(_ path: String) throws -> String {
        let root = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        return try String(contentsOf: root.appending(path: path), encoding: .utf8)
    }

    private static func article() throws -> String {
        try text("Sources/DataProtection/Documentation.docc/AnOutboxThatWaits.md")
    }

    @Test func `the usual one sends twice when an unlock resumes what is not over`() throws {
        let scenario = Scenario(
            actions: [.lock, .unlock],
            prepare: { device in
                try device.volume.makeFolder("Usual", class: .complete)
                try device.volume.write(Array("first".utf8), to: "Usual/1")
                return Receiver()
            },
            main: { run in
                let outbox = UsualOutbox(run.volume)
                let (ends, end) = AsyncStream.makeStream(of: Void.self)
                let drain: @Sendable () -> Void = {
                    _ = Task(executorPreference: run.executor) {
                        do {
                            let status = try await outbox.drain { await Self.send($0, nil, run) }
                            if status == .drained { end.finish() }
                        } catch {
                            run.world.report(error)
                            end.finish()
                        }
                    }
                }
                // A background task began it, and each unlock resumes it.
                drain()
                let watching = run.volume.observeLock { event in
                    if event == .didBecomeAvailable { drain() }
                }
                for await _ in ends {}
                watching.cancel()
            },
            check: { run in try run.world.check(["first"]) })
        let result = try ScheduleExplorer(depth: 2).explore(scenario)
        let failure = try #require(result.failure)
        #expect(failure.schedule.count == 2)
        // What the article shows is what was run.
        let article = try Self.article()
        #expect(article.contains(failure.description), "\(failure)")
        let source = try Self.text("Tests/ExampleTests/UsualOutbox.swift")
        #expect(article.contains(source[try #require(source.range(of: "actor ")).lowerBound...]))
        #expect(try ScheduleExplorer().replay(failure.seed, of: scenario).failure == failure)
    }

    @Test func `the library's delivers each item once to a receiver that knows keys`() throws {
        let scenario = Scenario(
            prepare: { device in
                let outbox = try device.volume.outbox("Outbox")
                for text in Self.texts { try await outbox.save(Data(text.utf8)) }
                return Receiver()
            },
            main: { run in
                let outbox = try run.volume.outbox("Outbox")
                for await isAvailable in run.volume.protectedDataChanges where isAvailable {
                    do {
                        let status = try await outbox.drain { item in
                            let text = String(decoding: item.body, as: UTF8.self)
                            await Self.send(text, item.key, run)
                        }
                        if case .drained = status { return }
                    } catch {
                        // A life that is over finds its volume closed.
                        if run.isAlive { throw error }
                    }
                }
            },
            check: { run in try run.world.check(Self.texts) })
        let result = try ScheduleExplorer(deeper: 100).explore(scenario)
        #expect(result.failure == nil, "\(result.failure.map(\.description) ?? "")")
        #expect(result.scheduleCount > 200)
    }
}
