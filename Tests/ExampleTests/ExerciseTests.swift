import DataProtection
import DataProtectionTesting
import Foundation
import SimulatedDevice
import Testing
import TrainingRecords

/// What a person does with a phone in the hand (Examples/OnDevice), here without one. Its first
/// part is in `The application`, because a program has one application.
@Suite struct `The exercise` {
    @Test func `locks while a send is under way, and the next item waits`() async throws {
        let device = try SimulatedDevice()
        let server = Server()
        let app = try TrainingApp(files: device.files) { item in
            device.lockAtOnce()
            try server.receive(item)
        }
        try await app.add(.run)
        try await app.add(.swim)
        #expect(try await app.backgroundTask() == .waitingForUnlock)
        #expect(server.records == [.run])
        let watching = app.resumeAtUnlock()
        try device.unlock(passcode: SimulatedDevice.passcode)
        try await until { server.records == [.run, .swim] }
        watching.cancel()
    }

    @Test func `records the class of a file that was written with complete`() throws {
        let device = try SimulatedDevice()
        let files = try device.files
        let url = files.urls(for: .documentDirectory, in: .userDomainMask)[0]
            .appending(path: "note")
        try Data("note".utf8).write(to: url, options: [.completeFileProtection], in: files)
        let recorded = try files.attributesOfItem(atPath: url.path)[.protectionKey]
        #expect(recorded as? FileProtectionType == .complete)
        try expectClass(of: url, is: .complete, policy: RecordStore.protection, in: files)
    }
}
