import DataProtection

/// What a drain came to.
enum DrainStatus: Equatable, Sendable {
    case drained(Int)
    case waitingForUnlock
    case alreadyRunning
}

/// What sends entries.
protocol Outbox: Actor {
    init(_ volume: ProtectedVolume)
    func drain(send: @Sendable ([UInt8]) async throws -> Void) async throws -> DrainStatus
}

/// Who tells whether protected data can be used, on an actor of its own as UIKit's application is.
actor Application {
    private let volume: ProtectedVolume

    init(_ volume: ProtectedVolume) { self.volume = volume }

    var isProtectedDataAvailable: Bool { volume.isProtectedDataAvailable }
}

/// An outbox that asks before each read whether protected data is available, and when a read fails
/// asks again. It has the faults that this brings.
actor AskingOutbox: Outbox {
    private let volume: ProtectedVolume
    private let application: Application

    init(_ volume: ProtectedVolume) {
        self.volume = volume
        application = Application(volume)
    }

    func drain(send: @Sendable ([UInt8]) async throws -> Void) async throws -> DrainStatus {
        guard await application.isProtectedDataAvailable else { return .waitingForUnlock }
        let names = try volume.list("Outbox").map(\.name).sorted()
        var sent = 0
        for name in names {
            guard await application.isProtectedDataAvailable else { return .waitingForUnlock }
            let content: [UInt8]
            do {
                content = try volume.read("Outbox/" + name)
            } catch {
                if await application.isProtectedDataAvailable { throw error }
                return .waitingForUnlock
            }
            try await send(content)
            try volume.removeFile("Outbox/" + name)
            sent += 1
        }
        return .drained(sent)
    }
}

/// The same with one drain at a time. An unlock between the read and the question deceives it.
actor SerialOutbox: Outbox {
    private let outbox: AskingOutbox
    private var isDraining = false

    init(_ volume: ProtectedVolume) { outbox = AskingOutbox(volume) }

    func drain(send: @Sendable ([UInt8]) async throws -> Void) async throws -> DrainStatus {
        guard !isDraining else { return .alreadyRunning }
        isDraining = true
        defer { isDraining = false }
        return try await outbox.drain(send: send)
    }
}

/// An outbox in which one drain runs at a time, and the read's own result is the truth.
actor GuardedOutbox: Outbox {
    private let volume: ProtectedVolume
    private var isDraining = false

    init(_ volume: ProtectedVolume) { self.volume = volume }

    func drain(send: @Sendable ([UInt8]) async throws -> Void) async throws -> DrainStatus {
        guard !isDraining else { return .alreadyRunning }
        isDraining = true
        defer { isDraining = false }
        var sent = 0
        do {
            for name in try volume.list("Outbox").map(\.name).sorted() {
                try await send(try volume.read("Outbox/" + name))
                try volume.removeFile("Outbox/" + name)
                sent += 1
            }
        } catch let error as ProtectionError where error.code == .sealed {
            // No suspension from here to the end: an unlock finds this drain over.
            return .waitingForUnlock
        }
        return .drained(sent)
    }
}
