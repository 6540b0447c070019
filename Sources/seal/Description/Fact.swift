/// One thing that `info` tells.
struct Fact {
    /// What it is about.
    let name: String
    /// What it is.
    let value: JSONValue

    /// The value for a reader; `nil` when it is the same.
    let text: String?
    private let ownKey: String?

    init(_ name: String, _ value: JSONValue, key: String? = nil, text: String? = nil) {
        self.name = name
        self.value = value
        self.text = text
        ownKey = key
    }

    /// The name as a JSON key: words joined, as `defaultClass`.
    var key: String {
        if let ownKey { return ownKey }
        let words = name.split(separator: " ")
        let rest = words.dropFirst().map { $0.prefix(1).uppercased() + $0.dropFirst() }
        return words[0] + rest.joined()
    }

    /// The fact for a reader: one line, or one for each element of an array.
    var line: String {
        if let text { return Self.line(name, .string(text)) }
        guard case .array(let values) = value else { return Self.line(name, value) }
        return values.map { Self.line(name, $0) }.joined(separator: "\n")
    }

    private static func line(_ name: String, _ value: JSONValue) -> String {
        let text =
            switch value {
            case .bool(let value): value ? "yes" : "no"
            case .string(let value): Terminal.showsOutput ? Terminal.harmless(value) : value
            case .null: "-"
            default: value.text
            }
        return HelpText.padded(name, to: 17) + text
    }
}
