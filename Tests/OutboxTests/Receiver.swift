import DataProtection
import Foundation
import Synchronization
import Testing

/// What is at the other end: it remembers what came, and answers as a test tells it to.
final class Receiver: Sendable {
    /// One call of the closure that sends.
    struct Arrival: Hashable {
        let key: String
        let name: String
        let body: String
        let attempt: Int
    }

    /// How a call is answered; `nil` for a receipt.
    typealias Answer = @Sendable (OutboxItem) async throws -> Void

    private struct State {
        var arrivals: [Arrival] = []
        var answer: Answer?
    }

    private let state = Mutex(State())

    /// Everything that came, in order.
    var arrivals: [Arrival] { state.withLock { $0.arrivals } }

    /// The bodies that came, in order.
    var bodies: [String] { arrivals.map(\.body) }

    /// How many different keys came.
    var keyCount: Int { Set(arrivals.map(\.key)).count }

    /// Begins with nothing.
    func forget() { state.withLock { $0.arrivals = [] } }

    /// What is done with a call after it has arrived.
    func answer(_ answer: Answer?) { state.withLock { $0.answer = answer } }

    /// The closure that sends.
    var send: @Sendable (OutboxItem) async throws -> Void {
        { item in
            let answer = self.state.withLock { state in
                state.arrivals.append(
                    Arrival(
                        key: item.key, name: item.name,
                        body: String(decoding: item.body, as: UTF8.self), attempt: item.attempt))
                return state.answer
            }
            try await answer?(item)
        }
    }
}

/// Gives way to others until something is so.
func becomesTrue(_ what: () async throws -> Bool) async throws {
    for _ in 0..<1_000_000 {
        if try await what() { return }
        await Task.yield()
    }
    Issue.record("it never came to be so")
}
