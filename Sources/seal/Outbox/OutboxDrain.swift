import DataProtection

/// `drain`: sends with a program what waits, once or until a signal comes.
struct OutboxDrain {
    private let arguments: Arguments
    private let program: OutboxProgram
    private var options = OutboxOptions()
    private var isWatching: Bool { arguments.has(OutboxOption.watch) }

    /// Reads the options.
    init(_ arguments: Arguments) throws {
        guard let name = arguments.value(OutboxOption.program) else {
            throw arguments.failure("--exec is missing: the program that sends an item")
        }
        let deadline = try arguments.seconds(OutboxOption.deadline, atLeast: 1) ?? 300
        self.arguments = arguments
        options.sendDeadline = .seconds(deadline)
        program = OutboxProgram(
            name, Array(arguments.operands.dropFirst(3)), deadline: deadline,
            finishesItem: arguments.has(OutboxOption.watch))
    }

    func run() throws {
        guard !isWatching else { return try OutboxWatch(arguments, self).run() }
        try VolumeAccess.with(arguments, asking: .always) { volume in
            let outbox = try OutboxCommand.open(arguments, in: volume, options)
            let report = try drain(outbox, hastens: arguments.has(OutboxOption.now))
            try tell(report)
            if let failure = try failure(report, outbox) { throw failure }
        }
    }

    /// Opens the outbox with the options of the drain.
    func open(in volume: ProtectedVolume) throws -> ProtectedOutbox {
        try OutboxCommand.open(arguments, in: volume, options)
    }

    /// Sends what can be sent now.
    ///
    /// - Parameter hastens: whether the times of next tries count as come.
    /// - Throws: `Interrupted` after a signal; why the program could not be started.
    func drain(_ outbox: ProtectedOutbox, hastens: Bool) throws -> DrainReport {
        let program = program
        defer { program.waitForEnd() }
        do {
            return try AsyncWork.wait(until: { Interruption.isPending }) {
                if hastens { await outbox.retryNow() }
                return try await outbox.drainReport(send: program.send)
            }
        } catch is CancellationError {
            throw Interrupted()
        }
    }

    /// Prints the report, when that was asked for.
    func tell(_ report: DrainReport) throws {
        guard arguments.has(.json) else { return }
        try Output.line(report.json.text)
    }

    /// What a drain's end is for whoever called the program; `nil` when everything was delivered.
    func failure(_ report: DrainReport, _ outbox: ProtectedOutbox) throws -> Failure? {
        let quarantinedCount = try AsyncWork.wait { await outbox.status.quarantinedCount }
        let waiting = "\(report.remainingCount + quarantinedCount) not delivered"
        switch report.status {
        case .drained:
            guard quarantinedCount > 0 else { return nil }
            return Failure(
                "\(waiting): set aside", remedy: "see \(arguments.outboxCommand("list"))",
                exitCode: .undelivered)
        case .waitingForUnlock:
            return Failure(
                "\(waiting): the next item is sealed",
                remedy: "give the passcode with --passcode-file FILE", exitCode: .sealed)
        case .waitingForRetry(let until):
            return Failure(
                "\(waiting): the next try is at \(until.utc)",
                remedy: "drain again then, with --watch, or at once with --now",
                exitCode: .undelivered)
        case .waitingForAuthentication:
            return Failure(
                "\(waiting): the receiver wants other credentials",
                remedy: "renew them and drain again", exitCode: .undelivered)
        case .paused:
            return Failure(
                "\(waiting): the outbox is paused",
                remedy: "to go on: \(arguments.outboxCommand("resume"))", exitCode: .undelivered)
        case .blocked(let number, let reason):
            return Failure(
                "\(waiting): item \(number) keeps the rest: \(reason.sentence)",
                remedy: "look at it with \(arguments.outboxCommand("show", "\(number)")); then "
                    + "retry, drop or export it", exitCode: .undelivered)
        }
    }
}

extension DrainReport {
    /// The report as JSON.
    var json: JSONValue {
        var (word, until, item): (String, String?, OutboxItem.ID?) = ("", nil, nil)
        var why: OutboxReason?
        switch status {
        case .drained: word = "drained"
        case .waitingForUnlock: word = "waitingForUnlock"
        case .waitingForRetry(let date): (word, until) = ("waitingForRetry", date.utc)
        case .waitingForAuthentication: word = "waitingForAuthentication"
        case .paused: word = "paused"
        case .blocked(let number, let reason): (word, item, why) = ("blocked", number, reason)
        }
        return .object([
            ("status", .string(word)), ("until", .optional(until)),
            ("item", item.map { .integer($0) } ?? .null), ("reason", .optional(why?.word)),
            ("sent", .integer(Int64(sentCount))), ("retried", .integer(Int64(retriedCount))),
            ("quarantined", .integer(Int64(quarantinedCount))),
            ("remaining", .integer(Int64(remainingCount))),
        ])
    }
}
