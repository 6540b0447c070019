import DataProtection
import DataProtectionTesting
import Foundation
import SimulatedDevice
import Testing
import TrainingRecords

/// The training app, on a phone.
@Suite struct `The training app` {
    private let device: SimulatedDevice
    private let server = Server()

    init() throws { device = try SimulatedDevice() }

    @Test func `keeps each kind of file under the class that its store has written down`()
        async throws
    {
        let app = try device.startTraining(server)
        let files = try device.files
        try app.records.save(.run)
        try expectClass(
            of: app.records.url(of: "1"), is: .complete, policy: RecordStore.protection, in: files)
        try app.inbox.receive(.swim)
        try expectClass(
            of: app.inbox.folder.appending(path: "2.json"), is: .complete,
            policy: ShareInbox.protection, in: files)
        try app.captures.begin("3").finish()
        try expectClass(
            of: app.captures.folder.appending(path: "3.json"), is: .completeUnlessOpen,
            policy: WatchCaptures.protection, in: files)
        expectPolicy(TrainingApp.uploads, is: .complete)
        try await app.outbox.save(Data(), named: "4")
        #expect(try await app.outbox.items().map(\.protectionClass) == [.complete])
    }

    @Test func `cannot read its own records in the pocket, and says that it waits`() async throws {
        let app = try device.startTraining(server)
        try await app.add(.run)
        device.lockInThePocket()
        let error = #expect(throws: CocoaError.self) { try app.records.all() }
        #expect(error?.isLocked == true)
        #expect(try await app.backgroundTask() == .waitingForUnlock)
        #expect(server.callCount == 0)
        try device.unlock(passcode: SimulatedDevice.passcode)
        #expect(try app.records.all() == [.run])
        #expect(try await app.backgroundTask() == .drained(1))
        #expect(server.records == [.run])
    }

    @Test func `takes in a capture that comes through the lock, and files it at the unlock`()
        async throws
    {
        let app = try device.startTraining(server)
        let watching = app.resumeAtUnlock()
        let bytes = try JSONEncoder().encode(TrainingRecord.run)
        let first = try app.captures.begin("1")
        try first.append(bytes.prefix(10))
        device.lockInThePocket()
        // One that has begun goes on, and another one begins.
        try first.append(bytes.dropFirst(10))
        try first.finish()
        let second = try app.captures.begin("2")
        try second.append(JSONEncoder().encode(TrainingRecord.swim))
        try second.finish()
        let url = app.captures.folder.appending(path: "1.json")
        let error = #expect(throws: CocoaError.self) {
            try Data(contentsOf: url, in: device.files)
        }
        #expect(error?.isLocked == true)
        #expect(try await app.backgroundTask() == .waitingForUnlock)

        try device.unlock(passcode: SimulatedDevice.passcode)
        try await until { server.records.count == 2 }
        #expect(try app.records.all() == [.run, .swim])
        #expect(server.records == [.run, .swim])
        watching.cancel()
    }

    @Test func `starts before the first unlock, and finds everything after it`() async throws {
        var app = try device.startTraining(server)
        try await app.add(.run)
        try app.inbox.receive(.swim)
        try device.reboot()
        app = try device.startTraining(server)
        let capture = try app.captures.begin("3")
        try capture.append(
            JSONEncoder().encode(TrainingRecord(id: "3", sport: "row", minutes: 5)))
        try capture.finish()
        #expect(try await app.backgroundTask() == .waitingForUnlock)
        #expect(throws: CocoaError.self) { try app.records.all() }
        try device.unlock(passcode: SimulatedDevice.passcode)
        #expect(try await app.backgroundTask() == .drained(3))
        #expect(try app.records.all().map(\.id) == ["1", "2", "3"])
        #expect(server.records.map(\.id) == ["1", "3", "2"])
    }

    @Test func `is killed in the middle of a send, and the server has each record once`()
        async throws
    {
        let device = device
        let server = server
        let dying = try TrainingApp(files: device.files) { item in
            try server.receive(item)
            try device.killApp()
        }
        try await dying.add(.run)
        try await dying.add(.swim)
        await #expect(throws: (any Error).self) { try await dying.backgroundTask() }
        #expect(server.records == [.run])
        let app = try device.startTraining(server)
        #expect(try await app.backgroundTask() == .drained(2))
        #expect(server.callCount == 3)
        #expect(server.records == [.run, .swim])
    }

    @Test func `is killed while a capture comes, and the watch sends it again`() async throws {
        let bytes = try JSONEncoder().encode(TrainingRecord.run)
        let capture = try device.startTraining(server).captures.begin("1")
        try capture.append(bytes.prefix(10))
        device.lockInThePocket()
        try device.killApp()
        #expect(throws: CocoaError.self) { try capture.append(bytes.dropFirst(10)) }
        let app = try device.startTraining(server)
        let again = try app.captures.begin("1")
        try again.append(bytes)
        try again.finish()
        try device.unlock(passcode: SimulatedDevice.passcode)
        #expect(try await app.backgroundTask() == .drained(1))
        #expect(server.records == [.run])
    }

    @Test func `loses its inbox from a copy over the cable, and not from the phone`() async throws {
        let app = try device.startTraining(server)
        try app.inbox.receive(.run)
        let url = app.inbox.folder.appending(path: "1.json")
        let path = try device.files.volumePath(of: url)
        #expect(try device.copyContainer()[path] != nil)
        device.lockInThePocket()
        #expect(try device.copyContainer()[path] == nil)
        #expect(try device.files.fileExists(atPath: url.path))
        try device.unlock(passcode: SimulatedDevice.passcode)
        #expect(try await app.backgroundTask() == .drained(1))
        #expect(try app.records.all() == [.run])
    }

    @Test func `takes each thing in once, however many call it at the same time`() async throws {
        let app = try device.startTraining(server)
        for number in 0..<20 {
            try app.inbox.receive(TrainingRecord(id: "\(number)", sport: "run", minutes: number))
        }
        try await withThrowingTaskGroup { group in
            for _ in 0..<8 { group.addTask { try await app.backgroundTask() } }
            for try await status in group {
                guard case .drained = status else { throw Fault("\(status)") }
            }
        }
        #expect(server.callCount == 20)
    }

    @Test func `is not stopped by something unknown in its inbox`() async throws {
        let app = try device.startTraining(server)
        try Data("?".utf8).write(
            to: app.inbox.folder.appending(path: "0.json"), options: ShareInbox.protection,
            in: device.files)
        try app.inbox.receive(.run)
        #expect(try await app.backgroundTask() == .drained(1))
        #expect(
            try device.files.contentsOfDirectory(atPath: app.inbox.folder.path)
                == ["0.json.unknown"])
    }
}
