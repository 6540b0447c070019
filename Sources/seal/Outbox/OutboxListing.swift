import DataProtection
import FoundationEssentials

extension OutboxItemSummary {
    /// The item in a line for a reader.
    func line(now: Date) -> String {
        let size = "\(byteCount)"
        let tries = attemptCount == 1 ? "1 try" : "\(attemptCount) tries"
        let age = Self.age(now.timeIntervalSince(savedAt))
        return HelpText.padded("\(id)", to: 6) + HelpText.padded(className, to: 22)
            + HelpText.padded(tries, to: 10) + HelpText.padded(size, to: 10)
            + HelpText.padded(age, to: 8) + stateSentence
    }

    /// The class; in brackets while its key is not there.
    private var className: String {
        guard let protectionClass else { return "-" }
        return isSealed ? "[\(protectionClass.name)]" : protectionClass.name
    }

    /// What it waits for, in words.
    var stateSentence: String {
        switch state {
        case .pending: isSealed ? "waits for the unlock" : "waits for its turn"
        case .sending: "is being sent"
        case .waitingForRetry(let until):
            "waits until \(until.utc): \(lastReason?.sentence ?? "it failed")"
        case .blocked(let reason): "waits for a decision: \(reason.sentence)"
        case .setAside(let reason): "set aside: \(reason.sentence)"
        }
    }

    private static func age(_ seconds: Double) -> String {
        switch seconds {
        case ..<6000: "\(max(0, Int(seconds / 60))) min"
        case ..<172_800: "\(Int(seconds / 3600)) h"
        default: "\(Int(min(seconds / 86400, 999_999))) d"
        }
    }

    /// The item as JSON.
    var json: [(String, JSONValue)] {
        var word = "pending"
        var until: Date?
        switch state {
        case .pending: break
        case .sending: word = "sending"
        case .waitingForRetry(let date): (word, until) = ("waitingForRetry", date)
        case .blocked: word = "blocked"
        case .setAside: word = "setAside"
        }
        return [
            ("number", .integer(id)), ("state", .string(word)),
            ("reason", .optional(lastReason?.word)), ("until", .optional(until?.utc)),
            ("class", .optional(protectionClass?.name)), ("sealed", .bool(isSealed)),
            ("attempts", .integer(Int64(attemptCount))), ("size", .integer(byteCount)),
            ("saved", .string(savedAt.utc)),
        ]
    }
}

extension OutboxReason {
    /// The reason as JSON has it.
    var word: String { "\(self)" }
}

extension Date {
    /// The time for a reader.
    var utc: String { UTCTime.text(Int64(timeIntervalSince1970.rounded(.down))) }
}

extension OutboxCommand {
    static func list(_ arguments: Arguments) throws {
        let isJSON = arguments.has(.json)
        try with(arguments) { outbox in
            let items = try await outbox.items()
            if isJSON {
                try Output.line(JSONValue.array(items.map { .object($0.json) }).lines)
            } else {
                let now = Date()
                for item in items { try Output.line(item.line(now: now)) }
            }
            if await outbox.status.activity == .waiting(.paused) {
                Terminal.note("the outbox is paused")
            }
        }
    }

    static func show(_ arguments: Arguments) throws {
        let number = try arguments.outboxNumber()
        let isJSON = arguments.has(.json)
        guard !arguments.has(OutboxOption.body) else {
            return try with(arguments, asking: .whenSealed) { outbox in
                var bytes = Array(try await outbox.item(number).body)
                defer { ProcessCalls.wipe(&bytes) }
                try Output.bytes(bytes.span)
            }
        }
        try with(arguments, asking: .always) { outbox in
            let found = try await outbox.items(after: number - 1, limit: 1).first
            guard let summary = found, summary.id == number else {
                _ = try await outbox.item(number)  // says that there is none
                return
            }
            var item: OutboxItem?
            var text: String?
            var failure: (any Error)?
            do {
                item = try await outbox.item(number)
                text = try await outbox.refusalText(of: number)
            } catch {
                if (error as? ProtectionError)?.code != .sealed { failure = error }
            }
            try tell(summary, item, refusalText: text, isJSON: isJSON)
            if let failure { throw failure }
        }
    }

    private static func tell(
        _ summary: OutboxItemSummary, _ item: OutboxItem?, refusalText: String?, isJSON: Bool
    ) throws {
        guard !isJSON else {
            let more: [(String, JSONValue)] = [
                ("name", .optional(item?.name)), ("key", .optional(item?.key)),
                ("refusal", .optional(refusalText)),
            ]
            return try Output.line(JSONValue.object(summary.json + more).text)
        }
        let lines = refusalText?.split(separator: "\n").map { JSONValue.string(String($0)) }
        let facts = [
            Fact("item", .integer(summary.id)), Fact("state", .string(summary.stateSentence)),
            Fact("class", .optional(summary.protectionClass?.name)),
            Fact("sealed", .bool(summary.isSealed)),
            Fact("tries", .integer(Int64(summary.attemptCount))),
            Fact("size", .integer(summary.byteCount)), Fact("saved", .string(summary.savedAt.utc)),
            Fact("name", .optional(item?.name)), Fact("key", .optional(item?.key)),
            Fact("receiver said", lines.map { .array($0) } ?? .null),
        ]
        for line in facts.flatMap(\.lines) { try Output.line(line) }
    }
}
