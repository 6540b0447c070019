import AgentControl
import DataProtection

extension Command {
    static let status = Command(
        "status", "say what is mounted, and whether it is locked",
        operands: [.mounted], options: [.json],
        details: """
            Without WHERE all volumes of this user that are mounted; none is no failure.
            """,
        examples: ["seal status", "seal status ~/Vault --json"],
        run: runStatus)

    static let watch = Command(
        "watch", "print the lock state each time it changes",
        operands: [.mounted], options: [.json],
        details: """
            The present state first; ends when the volume is unmounted. With --json a line each
            time, as 'seal status --json' has it.
            """,
        examples: ["seal watch ~/Vault", "seal watch --json"],
        run: runWatch)

    private static func runStatus(_ arguments: Arguments) throws {
        let all = try arguments.mountedVolumes().compactMap { volume in
            do throws(ProtectionError) {
                return try volume.status()
            } catch {
                // It ended between the list and the question, or it hangs.
                if error.code != .missing { Terminal.report(Failure(error)) }
                return nil
            }
        }
        if arguments.has(.json) {
            return try Output.line(JSONValue.array(all.map(\.json)).lines)
        }
        if all.isEmpty { Terminal.note("no volume is mounted") }
        for (index, status) in all.enumerated() {
            if index > 0 { try Output.line("") }
            for fact in status.facts { for line in fact.lines { try Output.line(line) } }
        }
    }

    private static func runWatch(_ arguments: Arguments) throws {
        let volume = try arguments.mountedVolume()
        let isJSON = arguments.has(.json)
        try AsyncWork.wait {
            var told: (LockState, LockReason?)?
            for await status in volume.statuses {
                guard told == nil || told! != (status.state, status.reason) else { continue }
                told = (status.state, status.reason)
                try Output.line(isJSON ? status.json.text : status.state.rawValue)
            }
        }
    }
}

extension MountStatus {
    /// What a reader is told, in order.
    var facts: [Fact] {
        [
            Fact("folder", .string(folder)),
            Fact("volume", .string(volume)),
            Fact("id", .string(identifier)),
            Fact("state", .string(state.rawValue)),
            Fact("reason", .optional(reason?.rawValue)),
            Fact("process", .integer(Int64(process))),
            Fact("grace", .integer(Int64(graceSeconds)), text: "\(graceSeconds) s"),
            Fact(
                "idle", idleMinutes.map { .integer(Int64($0)) } ?? .null,
                text: idleMinutes.map { "\($0) min" } ?? "-"),
            Fact("read only", .bool(isReadOnly)),
            Fact("allows others", .bool(allowsOthers)),
            Fact(
                "locks with", .array(watched.map { .string($0) }), key: "watched",
                text: watched.isEmpty ? "nothing but seal lock" : watched.joined(separator: ", ")),
            Fact(
                "cannot watch",
                .object(unwatched.sorted { $0.key < $1.key }.map { ($0.key, .string($0.value)) }),
                key: "unwatched",
                rows: unwatched.sorted { $0.key < $1.key }.map {
                    ("cannot watch", "\($0.key): \($0.value)")
                }),
        ]
    }

    /// The same as JSON.
    var json: JSONValue { .object(facts.map { ($0.key, $0.value) }) }
}
