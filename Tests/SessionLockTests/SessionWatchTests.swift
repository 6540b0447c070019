import DataProtection
import Foundation
import SessionLock
import Synchronization
import TestSupport
import Testing

/// What was heard, in order.
private final class Ear: Sendable {
    private let events = Mutex<[SessionEvent]>([])

    func hear(_ event: SessionEvent) { events.withLock { $0.append(event) } }

    /// Waits until so many were heard, ten seconds at most.
    func heard(_ count: Int) async throws -> [SessionEvent] {
        for _ in 0..<400 where events.withLock({ $0.count }) < count {
            try await Task.sleep(for: .milliseconds(25))
        }
        return events.withLock { $0 }
    }
}

/// A real sd-bus on private buses.
@Suite(.serialized, .timeLimit(.minutes(2))) struct SessionWatchTests {
    @Test func `every source tells its event`() async throws {
        let desktop = try Desktop("login", "lid", "saver")
        let ear = Ear()
        let watch = SessionWatch(system: desktop.system, user: desktop.user) { ear.hear($0) }
        defer { watch.cancel() }
        #expect(watch.coverage.watched == Set(SessionSource.allCases))
        let table: [(String, SessionEvent)] = [
            ("lock", .screenLocked), ("unlock", .screenUnlocked),
            ("hint on", .screenLocked), ("hint off", .screenUnlocked),
            ("saver on", .screenLocked), ("saver off", .screenUnlocked),
            ("lid on", .lidClosed), ("lid off", .lidOpened),
            ("sleep on", .willSleep), ("sleep off", .didWake),
        ]
        for (index, row) in table.enumerated() {
            try desktop.make(row.0)
            let events = try await ear.heard(index + 1)
            #expect(events == table[...index].map(\.1), "after: \(row.0)")
        }
    }

    @Test func `another user's session, and a signal that logind did not send, do nothing`()
        async throws
    {
        let desktop = try Desktop("login")
        let ear = Ear()
        let watch = SessionWatch(system: desktop.system, user: desktop.user) { ear.hear($0) }
        defer { watch.cancel() }
        try desktop.make("foreign")
        try desktop.make("lock")
        #expect(try await ear.heard(1) == [.screenLocked])
        try desktop.make("forged")
        try desktop.make("lock")
        #expect(try await ear.heard(2) == [.screenLocked, .screenLocked])
    }

    @Test func `sleep is held up until the keys are gone, and again after it`() async throws {
        let desktop = try Desktop("login")
        let mayGo = DispatchSemaphore(value: 0)
        let watch = SessionWatch(system: desktop.system, user: desktop.user) { event in
            if event == .willSleep { mayGo.wait() }
        }
        defer { watch.cancel() }
        func inhibitors() throws -> String { try desktop.make("inhibited") }
        func wait(for wanted: String) async throws {
            for _ in 0..<200 where try inhibitors() != wanted {
                try await Task.sleep(for: .milliseconds(25))
            }
            #expect(try inhibitors() == wanted)
        }
        try await wait(for: "1")
        try desktop.make("sleep on")
        try await Task.sleep(for: .milliseconds(200))
        #expect(try inhibitors() == "1")
        mayGo.signal()
        try await wait(for: "0")
        try desktop.make("sleep off")
        try await wait(for: "1")
    }

    @Test func `a session that is locked already counts`() async throws {
        let desktop = try Desktop("login")
        try desktop.make("hint on")
        let ear = Ear()
        let watch = SessionWatch(system: desktop.system, user: desktop.user) { ear.hear($0) }
        defer { watch.cancel() }
        #expect(try await ear.heard(1) == [.screenLocked])
    }

    @Test func `what cannot be watched is said`() throws {
        let nowhere = BusPlace.address("unix:path=/nonexistent/bus")
        let watch = SessionWatch(system: nowhere, user: nowhere) { _ in }
        defer { watch.cancel() }
        #expect(watch.coverage.watched.isEmpty)
        #expect(
            watch.coverage.unwatched == [
                .login: "there is no system bus", .sleep: "there is no system bus",
                .lid: "there is no system bus", .screenSaver: "there is no session bus",
            ])
    }

    @Test func `a volume in a program locks with one line`() async throws {
        let desktop = try Desktop("login")
        let scratch = try ScratchFolder()
        var configuration = VolumeConfiguration()
        configuration.passcodeCost = .interactive
        let volume = try ProtectedVolume.create(
            at: scratch.path + "/vault", configuration: configuration, passcode: Passcode("1234"),
            deviceKey: DeviceKey.loadOrCreate(at: scratch.path + "/device.key"))
        let ear = Ear()
        let lock = SessionLock.watch(
            volume, grace: .seconds(60), system: desktop.system, user: desktop.user
        ) { ear.hear($0) }
        defer { lock.cancel() }
        try desktop.make("lock")
        _ = try await ear.heard(1)
        #expect(volume.lockState == .grace)
        try desktop.make("unlock")
        _ = try await ear.heard(2)
        #expect(volume.lockState == .unlocked)
        try desktop.make("lock")
        try desktop.make("sleep on")
        _ = try await ear.heard(4)
        #expect(volume.lockState == .locked)
        // Only the passcode brings the keys back.
        try desktop.make("unlock")
        _ = try await ear.heard(5)
        #expect(volume.lockState == .locked)
        try volume.close()
    }
}
