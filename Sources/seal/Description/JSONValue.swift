/// A JSON value whose object keys keep their order.
package enum JSONValue: Sendable {
    case null
    case bool(Bool)
    case integer(Int64)
    case real(Double)
    case string(String)
    case array([JSONValue])
    case object([(String, JSONValue)])

    /// The value of an optional text.
    static func optional(_ text: String?) -> JSONValue { text.map { .string($0) } ?? .null }

    /// The value as JSON in one line.
    package var text: String {
        switch self {
        case .null: "null"
        case .bool(let value): value ? "true" : "false"
        case .integer(let value): "\(value)"
        // JSON has no infinity.
        case .real(let value): value.isFinite ? "\(value)" : Self.quoted("\(value)")
        case .string(let value): Self.quoted(value)
        case .array(let values): "[" + values.map(\.text).joined(separator: ", ") + "]"
        case .object(let members):
            "{" + members.map { "\(Self.quoted($0)): \($1.text)" }.joined(separator: ", ") + "}"
        }
    }

    /// An array with one element on each line, so that `grep` and `diff` are of use.
    package var lines: String {
        guard case .array(let values) = self, !values.isEmpty else { return text }
        return "[\n" + values.map { "  \($0.text)" }.joined(separator: ",\n") + "\n]"
    }

    private static func quoted(_ text: String) -> String {
        var quoted = "\""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "\"": quoted += "\\\""
            case "\\": quoted += "\\\\"
            case "\n": quoted += "\\n"
            case _ where Terminal.isControl(scalar):
                let digits = String(scalar.value, radix: 16)
                quoted += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
            default: quoted.unicodeScalars.append(scalar)
            }
        }
        return quoted + "\""
    }
}
