import DataProtection
import Foundation

/// The outbox as it is usually written: it asks whether protected data is available before each
/// read, and again when a read fails. What is wrong with it is in `Outboxes under every schedule`.
actor UsualOutbox {
    enum Status { case drained, waitingForUnlock }

    private let volume: ProtectedVolume

    init(_ volume: ProtectedVolume) { self.volume = volume }

    func drain(send: @Sendable (String) async throws -> Void) async throws -> Status {
        for entry in try volume.list("Usual") {
            guard volume.isProtectedDataAvailable else { return .waitingForUnlock }
            let bytes: [UInt8]
            do {
                bytes = try volume.read("Usual/" + entry.name)
            } catch {
                guard !volume.isProtectedDataAvailable else { throw error }
                return .waitingForUnlock
            }
            try await send(String(decoding: bytes, as: UTF8.self))
            try volume.removeFile("Usual/" + entry.name)
        }
        return .drained
    }
}
