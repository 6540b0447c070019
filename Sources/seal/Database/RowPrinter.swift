import ProtectedDatabase

/// Prints the rows of one statement as they come.
struct RowPrinter {
    private enum Form { case lines, columns, json }

    /// How many rows are looked at before the columns are as wide as they stay.
    private static let sampleCount = 200
    private static let widthMaximum = 40

    private let columns: [String]
    private let form: Form
    private var sample: [[String]] = []
    private var widths: [Int]?
    private var hasRows = false

    init(_ columns: [String], isJSON: Bool) {
        self.columns = columns
        form = isJSON ? .json : Terminal.showsOutput ? .columns : .lines
    }

    /// Takes a row.
    mutating func add(_ row: [ProtectedDatabaseValue]) throws {
        defer { hasRows = true }
        switch form {
        case .lines: try Output.line(row.map(\.field).joined(separator: "\t"))
        case .json:
            let object = JSONValue.object(Array(zip(columns, row.map(\.json))))
            try Output.text((hasRows ? ",\n  " : "[\n  ") + object.text)
        case .columns:
            let cells = row.map(\.cell)
            if let widths { return try Output.line(Self.line(cells, widths)) }
            sample.append(cells)
            if sample.count == Self.sampleCount { try printSample() }
        }
    }

    /// There are no more rows.
    mutating func finish() throws {
        switch form {
        case .lines: break
        case .json: try Output.line(hasRows ? "\n]" : "[]")
        case .columns: if widths == nil { try printSample() }
        }
    }

    private mutating func printSample() throws {
        let heads = columns.map(Terminal.harmless)
        let found = heads.indices.map { column in
            let most = sample.map { $0[column].count }.max() ?? 0
            return min(Self.widthMaximum, max(heads[column].count, most))
        }
        try Output.line(Self.line(heads, found))
        try Output.line(found.map { String(repeating: "-", count: $0) }.joined(separator: "  "))
        for cells in sample { try Output.line(Self.line(cells, found)) }
        sample = []
        widths = found
    }

    private static func line(_ cells: [String], _ widths: [Int]) -> String {
        var line = ""
        for (index, cell) in cells.enumerated() {
            if index == cells.count - 1 { return line + cell }
            line +=
                HelpText.padded(cell, to: widths[index]) + (cell.count < widths[index] ? "  " : " ")
        }
        return line
    }
}

extension ProtectedDatabaseValue {
    /// The value between tabs: no value has a tab or a line's end in it.
    fileprivate var field: String {
        switch self {
        case .null: return "\\N"
        case .integer(let number): return "\(number)"
        case .real(let number): return "\(number)"
        case .blob(let bytes): return "\\x" + Self.hexadecimal(bytes)
        case .text(let text):
            var field = String.UnicodeScalarView()
            for scalar in text.unicodeScalars {
                switch scalar {
                case "\t": field += "\\t".unicodeScalars
                case "\n": field += "\\n".unicodeScalars
                case "\r": field += "\\r".unicodeScalars
                case "\\": field += "\\\\".unicodeScalars
                default: field.append(scalar)
                }
            }
            return String(field)
        }
    }

    /// The value for a reader.
    fileprivate var cell: String {
        switch self {
        case .null: "NULL"
        case .blob(let bytes) where bytes.count > 16: "\(bytes.count) bytes"
        case .text(let text): Terminal.harmless(text)
        default: field
        }
    }

    /// The value as JSON; a blob is an object, so that it is not taken for a text.
    fileprivate var json: JSONValue {
        switch self {
        case .null: .null
        case .integer(let number): .integer(number)
        case .real(let number): .real(number)
        case .text(let text): .string(text)
        case .blob(let bytes): .object([("blob", .string(Self.hexadecimal(bytes)))])
        }
    }

    private static func hexadecimal(_ bytes: [UInt8]) -> String {
        let digits = Array("0123456789abcdef")
        var text = ""
        text.reserveCapacity(2 * bytes.count)
        for byte in bytes {
            text.append(digits[Int(byte >> 4)])
            text.append(digits[Int(byte & 0xF)])
        }
        return text
    }
}
