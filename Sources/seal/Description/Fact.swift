/// One thing that `info` tells.
struct Fact {
    /// What it is about.
    let name: String
    /// What it is.
    let value: JSONValue

    /// A line for a reader: what it is about, and what it is.
    typealias Row = (name: String, text: String)

    /// The lines for a reader; `nil` when they are the name and the value.
    private let rows: [Row]?
    private let ownKey: String?

    init(_ name: String, _ value: JSONValue, key: String? = nil, text: String? = nil) {
        self.init(name, value, key: key, rows: text.map { [(name, $0)] })
    }

    init(_ name: String, _ value: JSONValue, key: String? = nil, rows: [Row]?) {
        self.name = name
        self.value = value
        self.rows = rows
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
    var lines: [String] {
        if let rows { return rows.map { Self.line($0.name, .string($0.text)) } }
        guard case .array(let values) = value else { return [Self.line(name, value)] }
        return values.map { Self.line(name, $0) }
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
