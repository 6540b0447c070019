import DataProtection

extension Command {
    static let outbox = Command(
        "outbox", "keep what is to be sent, and have a program send it",
        operands: [
            .volume, Operand("FOLDER", .item),
            Operand("ACTION", .choice(OutboxAction.allCases.map(\.rawValue))),
            Operand("WORD", .hostFile, isOptional: true, repeats: true),
        ],
        options: [
            OutboxOption.name, OutboxOption.protectionClass, OutboxOption.body, OutboxOption.force,
            OutboxOption.yes, OutboxOption.program, OutboxOption.deadline, OutboxOption.now,
            OutboxOption.watch, OutboxOption.wait, .json,
        ] + Option.access,
        details: """
            save [FILE]         saves FILE, or standard input, as the last item; prints its number.
            list                one line an item: what it waits for, class, tries, size, age.
            show NUMBER         what is known of an item; with the passcode what it says, too.
            retry NUMBER        has an item sent again that was refused, as if it had not failed.
            drop NUMBER         removes an item for good.
            export NUMBER FILE  moves an item's body out of the volume, into FILE.
            pause, resume       has nothing sent; goes on.
            drain [ARGUMENT…]   sends what waits, in order, with the program that --exec names.

            save, list, retry, drop, pause and resume work without the passcode. What is saved
            without it has class completeUnlessOpen: durable, and sealed until the unlock. With it,
            complete. --class chooses another.

            drain runs PROGRAM once for each item: the body on standard input, SEAL_OUTBOX_KEY in
            the environment (the same at each attempt, for the receiver to ignore what it has), and
            SEAL_OUTBOX_ITEM, SEAL_OUTBOX_NAME and SEAL_OUTBOX_ATTEMPT. Exit status 0 is delivered,
            75 try later, 77 new credentials are needed, another one refused for good, with the
            first lines of standard error as the reason; after a signal it is tried again. At the
            deadline it gets SIGTERM, two seconds later SIGKILL. ARGUMENTs with a dash follow '--'.

            drain ends with 0 when nothing waits any more, 3 when the next item is sealed, 7 when
            it waits for its next try, for credentials, for 'resume' or for somebody to decide.
            With --watch it goes on until a signal comes, ends after the item that it is at, with
            0, and leaves the volume to others while nothing is to be sent.
            """,
        examples: [
            "seal outbox vault Captures save photo.jpg --name 'Pump 7'",
            "seal outbox vault Captures drain --exec ./upload.sh https://example.org/captures",
        ],
        run: runOutbox)

    private static func runOutbox(_ arguments: Arguments) throws {
        let action = try arguments.outboxAction()
        switch action {
        case .save: try OutboxCommand.save(arguments)
        case .list: try OutboxCommand.list(arguments)
        case .show: try OutboxCommand.show(arguments)
        case .export: try OutboxCommand.export(arguments)
        case .drop: try OutboxCommand.drop(arguments)
        case .drain: try OutboxDrain(arguments).run()
        case .retry:
            let number = try arguments.outboxNumber()
            try OutboxCommand.with(arguments) { try await $0.retry(number) }
        case .pause: try OutboxCommand.with(arguments) { try await $0.pause() }
        case .resume: try OutboxCommand.with(arguments) { try await $0.resume() }
        }
    }
}

/// The actions of `outbox`, one by one.
enum OutboxCommand {
    /// Opens an outbox that is there, and does something with it.
    static func with(
        _ arguments: Arguments, asking: VolumeAccess.Asking = .never,
        _ work: @escaping @Sendable (ProtectedOutbox) async throws -> Void
    ) throws {
        try VolumeAccess.with(arguments, asking: asking) { volume in
            let outbox = try open(arguments, in: volume)
            try AsyncWork.wait { try await work(outbox) }
        }
    }

    /// The outbox that is meant, which must be there: looking at one makes none.
    static func open(
        _ arguments: Arguments, in volume: ProtectedVolume, _ options: OutboxOptions = .init()
    ) throws -> ProtectedOutbox {
        let folder = arguments.outboxFolder
        guard try volume.kindIfPresent(of: folder) == .folder else {
            throw Failure(
                "\(folder): there is no outbox",
                remedy: "the first item makes it: \(arguments.outboxCommand("save", "FILE"))")
        }
        return try volume.outbox(folder, options: options)
    }

    static func save(_ arguments: Arguments) throws {
        let wanted = try arguments.protectionClass(OutboxOption.protectionClass)
        let name = arguments.value(OutboxOption.name) ?? ""
        let source = arguments.operand(3) ?? "-"
        let options = OutboxOptions()
        // Read before the volume is taken: who writes slowly keeps nobody out of it.
        var bytes = try HostBody.read(source, atMost: options.itemByteLimit)
        defer { ProcessCalls.wipe(&bytes) }
        let body = HostBody.data(bytes)
        try VolumeAccess.with(arguments, asking: wanted == nil ? .never : .whenSealed) { volume in
            let outbox = try volume.outbox(arguments.outboxFolder, options: options)
            let number = try AsyncWork.wait {
                try await outbox.save(body, named: name, class: wanted)
            }
            try Output.line("\(number)")
        }
    }

    static func drop(_ arguments: Arguments) throws {
        let number = try arguments.outboxNumber()
        if !arguments.has(OutboxOption.yes) {
            guard Terminal.canAsk else {
                throw Failure(
                    "there is no terminal to ask whether this is meant", remedy: "give --yes",
                    exitCode: .usage)
            }
            let typed = try Terminal.ask(
                "This destroys item \(number). Type '\(number)' to go on", isSecret: false)
            guard typed == Array("\(number)".utf8) else { throw Failure("not dropped") }
        }
        try with(arguments) { try await $0.drop(number) }
    }

    static func export(_ arguments: Arguments) throws {
        let number = try arguments.outboxNumber()
        guard arguments.operands[4] != "-" else {
            throw arguments.failure(
                "an item leaves the outbox when it is in a file: for standard output, show --body")
        }
        let path = try HostReplacement.path(
            for: "\(number)", at: arguments.operands[4], outside: arguments.volumePath)
        let isForced = arguments.has(OutboxOption.force)
        if !isForced, try HostNames.linkStatus(path) != nil { throw HostReplacement.isThere(path) }
        try with(arguments, asking: .whenSealed) { outbox in
            try await outbox.export(number) { @Sendable item in
                var bytes = Array(item.body)
                defer { ProcessCalls.wipe(&bytes) }
                try HostReplacement.write(to: path, mode: 0o600, replacing: isForced) { file in
                    try file.writeAll(bytes.span)
                }
            }
        }
    }
}
