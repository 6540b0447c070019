internal import AgentControl
internal import Cryptography
internal import DataProtection
internal import Dispatch
internal import SessionLock
internal import Synchronization

/// Asks for the passcode when the user is back and files are sealed.
final class PasscodeAsker: Sendable {
    /// How many wrong answers end the asking, until the user is back again.
    private static let tryLimit = 3

    private let agent: Agent
    private let program: PasscodeProgram?
    private let queue = DispatchQueue(label: "seal.asker")
    private let child = Mutex<ChildProgram?>(nil)
    private let isAsking = Atomic(false)

    /// Asks with a program; with `nil` it only says what is sealed.
    init(_ agent: Agent, _ program: PasscodeProgram?) {
        self.agent = agent
        self.program = program
        agent.listen { [weak self] reply in
            // Somebody else has given it, or the user went away again.
            if reply.event == .didBecomeAvailable || reply.event == .willBecomeUnavailable {
                self?.withdraw()
            }
        }
    }

    /// Takes the question away.
    func withdraw() { child.withLock { $0?.end() } }

    /// Asks, unless nothing is sealed, a passcode is being tried, or somebody is asked already.
    func askIfWanted() {
        guard agent.wantsPasscode, !isAsking.exchange(true, ordering: .acquiringAndReleasing) else {
            return
        }
        queue.async { [self] in
            defer { isAsking.store(false, ordering: .releasing) }
            SessionNotification.post("Files are sealed", body: description)
            guard let program else { return }
            ask(program)
        }
    }

    /// What is sealed, in words.
    private var description: String {
        let status = agent.status
        let holders = Set(agent.door.sealedFileHolders().map(\.program)).sorted()
        let who = holders.isEmpty ? "" : " Used by: \(holders.joined(separator: ", "))."
        return "\(status.folder) is sealed until its passcode is given.\(who)"
    }

    private func ask(_ program: PasscodeProgram) {
        var reason = ""
        for _ in 0..<Self.tryLimit {
            guard agent.wantsPasscode, var answer = askOnce(program, reason) else { return }
            defer { Wipe.zero(&answer) }
            do throws(ProtectionError) {
                return try agent.unlock(passcode: try Passcode(utf8: answer), isLogin: false)
            } catch {
                reason = error.message
                guard error.code == .wrongPasscode || error.code == .invalidArgument else {
                    return SessionNotification.post(
                        "\(agent.launch.folder) stays sealed", body: "\(error)")
                }
            }
        }
    }

    private func askOnce(_ program: PasscodeProgram, _ reason: String) -> [UInt8]? {
        let question = "Passcode of \(agent.launch.folder)"
        guard let started = try? program.start(question, reason: reason) else { return nil }
        child.withLock { $0 = started }
        defer { child.withLock { $0 = nil } }
        // An unlock that came before the child was known could not withdraw it.
        if !agent.wantsPasscode { started.end() }
        let answer = program.answer(started)
        started.waitOrEnd()
        return answer
    }
}
