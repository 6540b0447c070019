import Foundation
import SimulatedDevice

// Code for iOS as people write it; only UIKit has become SimulatedDevice.

enum DrainStatus: Equatable, Sendable {
    case drained(Int)
    case waitingForUnlock
}

/// What is to be sent, one file an entry.
@MainActor
final class ProtectedOutbox {
    private let folder: URL

    init(folder: URL) { self.folder = folder }

    func save(_ data: Data, named name: String) throws {
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let file = folder.appending(path: name)
        try data.write(to: file, options: [.atomic, .completeFileProtection])
    }

    func drain(send: (Data) async throws -> Void) async throws -> DrainStatus {
        guard UIApplication.shared.isProtectedDataAvailable else { return .waitingForUnlock }
        let entries = try FileManager.default.contentsOfDirectory(
            at: folder, includingPropertiesForKeys: nil)
        var count = 0
        for entry in entries.sorted(by: { $0.lastPathComponent < $1.lastPathComponent }) {
            // The phone can lock while a send is suspended.
            guard UIApplication.shared.isProtectedDataAvailable else { return .waitingForUnlock }
            let data: Data
            do {
                data = try Data(contentsOf: entry)
            } catch  where !UIApplication.shared.isProtectedDataAvailable {
                return .waitingForUnlock
            }
            try await send(data)
            try FileManager.default.removeItem(at: entry)
            count += 1
        }
        return .drained(count)
    }

    func onUnlock(_ resume: @escaping @MainActor () -> Void) -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(
            forName: UIApplication.protectedDataDidBecomeAvailableNotification, object: nil,
            queue: .main
        ) { _ in
            MainActor.assumeIsolated { resume() }
        }
    }
}
