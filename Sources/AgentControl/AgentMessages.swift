package import DataProtection
internal import FoundationEssentials

// The protocol, as docs/agent.md has it: a line of JSON each way. A passcode is no part of a line:
// it follows in bytes that no decoder copies.

/// What a client asks for.
package struct AgentRequest: Sendable, Hashable, Codable {
    /// The version of the protocol.
    package static let version = 1
    /// The longest line of a request, in bytes.
    package static let lineLimit = 4096
    /// The longest passcode, in bytes.
    package static let passcodeLimit = 1024

    /// What is to be done.
    package enum Action: String, Sendable, Hashable, Codable, CaseIterable {
        /// Say how it is.
        case status
        /// Lock at once.
        case lock
        /// Unlock with the passcode that follows the line.
        case unlock
        /// Say how it is now, and each time that this changes.
        case watch
        /// Take the mount away, and end.
        case unmount
    }

    /// The version of the protocol that the client speaks.
    package var seal = AgentRequest.version
    /// What is to be done.
    package var request: Action
    /// With `unlock`: how many bytes of passcode follow.
    package var passcodeByteCount: Int?
    /// With `unlock`: whether the passcode is a login's, which is tried once at most.
    package var isLogin: Bool?
    /// With `unmount`: whether also while programs use it.
    package var force: Bool?

    /// Asks for something.
    package init(_ request: Action) { self.request = request }
}

/// What the agent answers, and what it tells who watches.
package struct AgentReply: Sendable, Hashable, Codable {
    /// An error of the engine on its way.
    package struct Problem: Sendable, Hashable, Codable {
        package var code: String
        package var message: String
        package var remedy: String
        package var place: String
        package var errorNumber: Int32
    }

    /// Which event of the lock this is about.
    package enum Event: String, Sendable, Hashable, Codable {
        /// How it is at the beginning.
        case current
        /// The state is another one.
        case state
        /// The keys of `complete` are about to be wiped.
        case willBecomeUnavailable
        /// They are gone.
        case didBecomeUnavailable
        /// Everything can be read again.
        case didBecomeAvailable
    }

    /// The version of the protocol that the agent speaks.
    package var seal = AgentRequest.version
    /// How it is now.
    package var status: MountStatus?
    /// With `lock`, and a refused `unmount`: who has files open.
    package var holders: [SealedFileHolder]?
    /// With `watch`: what happened.
    package var event: Event?
    /// Why it was not done.
    package var error: Problem?

    /// An answer.
    package init(
        status: MountStatus? = nil, holders: [SealedFileHolder]? = nil, event: Event? = nil
    ) {
        self.status = status
        self.holders = holders
        self.event = event
    }

    /// A refusal.
    package init(_ error: ProtectionError) {
        self.error = Problem(
            code: error.code.rawValue, message: error.message, remedy: error.remedy,
            place: error.place, errorNumber: error.errorNumber)
    }
}

extension ProtectionError {
    /// An error that another process has met.
    package init(_ problem: AgentReply.Problem) {
        self.init(
            Code(rawValue: problem.code) ?? .host, problem.message, remedy: problem.remedy,
            place: problem.place, errorNumber: problem.errorNumber)
    }
}

/// Lines of JSON.
package enum AgentLine {
    /// A value as a line, with its newline; members in alphabetical order.
    package static func bytes(_ value: some Encodable) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? encoder.encode(value) else { preconditionFailure() }
        return Array(data) + [UInt8(ascii: "\n")]
    }

    /// Reads a line; `nil` when it says nothing of this kind.
    package static func value<Value: Decodable>(_ line: some Collection<UInt8>) -> Value? {
        try? JSONDecoder().decode(Value.self, from: Data(line))
    }
}
