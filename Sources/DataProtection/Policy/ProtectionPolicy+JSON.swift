internal import FoundationEssentials

// The policy as JSON (docs/policy.schema.json). What is not known is refused: a misspelt word must
// not leave a kind without its class.

extension ProtectionPolicy {
    /// The version that is written, and the only one that is read.
    static let version = 1

    /// Reads a policy.
    ///
    /// - Parameter json: UTF-8, at most `byteCountMaximum` bytes.
    /// - Throws: `newerFormat`; `damaged` with what is wrong, and where.
    public init(json: [UInt8]) throws(ProtectionError) {
        let document: PolicyDocument
        do {
            let data = Data(json)
            let head = try JSONDecoder().decode(PolicyDocument.Head.self, from: data)
            guard head.version <= Self.version else {
                throw ProtectionError.newerPolicy(head.version)
            }
            document = try JSONDecoder().decode(PolicyDocument.self, from: data)
        } catch let error as ProtectionError {
            throw error
        } catch let error as DecodingError {
            throw .unusablePolicy(error.sentence)
        } catch {
            throw .unusablePolicy("\(error)")
        }
        self = try document.policy()
    }

    /// The policy as JSON, for people to read and change.
    public var json: [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        // Nothing in it can fail to be encoded.
        guard let data = try? encoder.encode(PolicyDocument(self)) else { return [] }
        return Array(data) + [UInt8(ascii: "\n")]
    }
}

/// The document, as it is written.
private struct PolicyDocument: Codable {
    /// What is read first, whatever else a later version may hold.
    struct Head: Decodable {
        var version: Int
    }

    struct Kind: Codable {
        var name: String
        var patterns: [String]
        var `class`: String
        var classWhileLocked: String?
        var needed: PolicyNeed
        var reason: String
    }

    struct Waiver: Codable {
        var pattern: String
        var `class`: String
        var accessNeeded: String
        var sensitivityAllows: String
        var tradeOffConsidered: String
    }

    var version: Int
    var weakerRequests: ProtectionPolicy.WeakerRequests
    var kinds: [Kind]
    var waivers: [Waiver]

    init(_ policy: ProtectionPolicy) {
        version = ProtectionPolicy.version
        weakerRequests = policy.weakerRequests
        kinds = policy.kinds.map {
            Kind(
                name: $0.name, patterns: $0.patterns.map(\.text), class: $0.protectionClass.name,
                classWhileLocked: $0.classWhileLocked?.name, needed: $0.need, reason: $0.reason)
        }
        waivers = policy.waivers.map {
            Waiver(
                pattern: $0.pattern.text, class: $0.protectionClass.name,
                accessNeeded: $0.accessNeeded, sensitivityAllows: $0.sensitivityAllows,
                tradeOffConsidered: $0.tradeOffConsidered)
        }
    }

    init(from decoder: any Decoder) throws {
        try decoder.requireKnown(["$schema", "version", "weakerRequests", "kinds", "waivers"])
        let values = try decoder.container(keyedBy: CodingKeys.self)
        version = try values.decode(Int.self, forKey: .version)
        weakerRequests = try values.decode(
            ProtectionPolicy.WeakerRequests.self, forKey: .weakerRequests)
        kinds = try values.decode([Strict<Kind>].self, forKey: .kinds).map(\.value)
        waivers =
            try values.decodeIfPresent([Strict<Waiver>].self, forKey: .waivers)?.map(\.value) ?? []
    }

    func policy() throws(ProtectionError) -> ProtectionPolicy {
        var names: Set<String> = []
        var policyKinds: [PolicyKind] = []
        for kind in kinds {
            let place = "kind '\(kind.name)'"
            guard !kind.name.isEmpty, names.insert(kind.name).inserted else {
                throw .unusablePolicy("\(place): each kind has a name of its own")
            }
            guard !kind.reason.isEmpty else { throw .unusablePolicy("\(place): it has no reason") }
            var patterns: [PolicyPattern] = []
            for text in kind.patterns { patterns.append(try Self.pattern(text, place)) }
            var whileLocked: ProtectionClass?
            if let text = kind.classWhileLocked { whileLocked = try Self.class(text, place) }
            policyKinds.append(
                PolicyKind(
                    name: kind.name, patterns: patterns, class: try Self.class(kind.class, place),
                    classWhileLocked: whileLocked, need: kind.needed, reason: kind.reason))
        }
        var policyWaivers: [PolicyWaiver] = []
        for waiver in waivers { policyWaivers.append(try Self.waiver(waiver)) }
        return ProtectionPolicy(
            weakerRequests: weakerRequests, kinds: policyKinds, waivers: policyWaivers)
    }

    private static func waiver(_ waiver: Waiver) throws(ProtectionError) -> PolicyWaiver {
        let place = "waiver for '\(waiver.pattern)'"
        let answers = [waiver.accessNeeded, waiver.sensitivityAllows, waiver.tradeOffConsidered]
        guard !answers.contains(where: \.isEmpty) else {
            throw .unusablePolicy("\(place): it must answer its three questions")
        }
        return PolicyWaiver(
            pattern: try pattern(waiver.pattern, place), class: try `class`(waiver.class, place),
            accessNeeded: waiver.accessNeeded, sensitivityAllows: waiver.sensitivityAllows,
            tradeOffConsidered: waiver.tradeOffConsidered)
    }

    private static func `class`(
        _ text: String, _ place: String
    ) throws(ProtectionError) -> ProtectionClass {
        guard let found = ProtectionClass(named: text) else {
            throw .unusablePolicy("\(place): '\(text)' is no class")
        }
        return found
    }

    private static func pattern(
        _ text: String, _ place: String
    ) throws(ProtectionError) -> PolicyPattern {
        guard let pattern = PolicyPattern(text) else {
            throw .unusablePolicy("\(place): '\(text)' is no pattern")
        }
        return pattern
    }
}

/// A value whose object holds nothing that is not known.
private struct Strict<Value: Codable>: Decodable {
    let value: Value

    init(from decoder: any Decoder) throws {
        value = try Value(from: decoder)
        try decoder.requireKnown(Value.self is PolicyDocument.Kind.Type ? Self.kind : Self.waiver)
    }

    private static var kind: Set<String> {
        ["name", "patterns", "class", "classWhileLocked", "needed", "reason"]
    }
    private static var waiver: Set<String> {
        ["pattern", "class", "accessNeeded", "sensitivityAllows", "tradeOffConsidered"]
    }
}

/// Any word of an object.
private struct AnyKey: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init?(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
}

extension Decoder {
    /// Refuses an object with words that are not known.
    fileprivate func requireKnown(_ known: Set<String>) throws {
        let words = try container(keyedBy: AnyKey.self).allKeys
        guard let other = words.first(where: { !known.contains($0.stringValue) }) else { return }
        throw DecodingError.dataCorrupted(
            .init(codingPath: codingPath + [other], debugDescription: "it is not known"))
    }
}

extension DecodingError {
    /// What is wrong, and where.
    fileprivate var sentence: String {
        switch self {
        case .keyNotFound(let key, let context):
            Self.sentence(context.codingPath + [key], "it is missing")
        case .valueNotFound(_, let context): Self.sentence(context.codingPath, "it is null")
        case .typeMismatch(let type, let context):
            Self.sentence(context.codingPath, "it is no \(type)")
        case .dataCorrupted(let context):
            Self.sentence(context.codingPath, context.debugDescription)
        @unknown default: "\(self)"
        }
    }

    private static func sentence(_ path: [any CodingKey], _ what: String) -> String {
        let place = path.map { $0.intValue.map { "[\($0)]" } ?? $0.stringValue }
        return (place.isEmpty ? "" : place.joined(separator: ".") + ": ") + what
    }
}
