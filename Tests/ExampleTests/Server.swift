import DataProtection
import Foundation
import SimulatedDevice
import Synchronization
import TrainingRecords

/// The server of the training app: it ignores keys that it knows.
final class Server: Sendable {
    private struct State {
        var keys: Set<String> = []
        var records: [TrainingRecord] = []
        var callCount = 0
    }

    private let state = Mutex(State())

    /// What it has, in the order of its coming.
    var records: [TrainingRecord] { state.withLock { $0.records } }
    /// How often something came.
    var callCount: Int { state.withLock { $0.callCount } }

    func receive(_ item: OutboxItem) throws {
        let record = try JSONDecoder().decode(TrainingRecord.self, from: item.body)
        state.withLock { state in
            state.callCount += 1
            if state.keys.insert(item.key).inserted { state.records.append(record) }
        }
    }
}

extension TrainingRecord {
    static let run = TrainingRecord(id: "1", sport: "run", minutes: 30)
    static let swim = TrainingRecord(id: "2", sport: "swim", minutes: 20)
}

extension SimulatedDevice {
    static let passcode = "1234"

    /// The app, as it starts in the device's present state.
    func startTraining(_ server: Server) throws -> TrainingApp {
        try TrainingApp(files: files) { try server.receive($0) }
    }

    /// Some time after the side button was pressed.
    func lockInThePocket() {
        lock()
        advance(by: options.grace)
    }
}

/// Looks again and again, until it is so; gives up after a minute.
func until(_ isSo: () async throws -> Bool) async throws {
    let start = ContinuousClock.now
    while try await !isSo() {
        guard start.duration(to: .now) < .seconds(60) else { throw Fault("it never was so") }
        try await Task.sleep(for: .milliseconds(1))
    }
}
