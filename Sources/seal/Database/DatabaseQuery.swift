import DataProtection
import ProtectedDatabase

/// `db query`.
final class DatabaseQuery {
    private let arguments: Arguments
    private let path: String
    private let mayWrite: Bool
    private let isJSON: Bool
    private var parameters: [String: String] = [:]
    private var used: Set<String> = []
    private var sql: String?
    /// Whether a statement was begun: then nothing is done twice.
    private var hasBegun = false

    private static let byteCountMaximum = 16 << 20

    init(_ arguments: Arguments) throws {
        self.arguments = arguments
        path = arguments.operands[2]
        mayWrite = arguments.has(DatabaseOption.write)
        isJSON = arguments.has(.json)
        for text in arguments.values(DatabaseOption.parameter) {
            let parts = text.optionAndValue
            guard parts.count == 2, !parts[0].isEmpty else {
                throw arguments.failure("'\(text)' is no value for --param: NAME=VALUE")
            }
            let name = ":@$".contains(parts[0].first!) ? String(parts[0].dropFirst()) : parts[0]
            guard parameters.updateValue(parts[1], forKey: name) == nil else {
                throw arguments.failure("parameter \(name) is given twice")
            }
        }
    }

    func run() throws {
        try DatabaseAccess.with(arguments, path) { volume in
            let text = try readSQL()
            let database = try DatabaseAccess.open(path, in: volume)
            defer { try? database.close() }
            if !mayWrite { try database.execute("PRAGMA query_only = ON") }
            do {
                let script = DatabaseScript(text, of: database)
                while let statement = try script.next() { try run(statement) }
            } catch let error as DatabaseScriptError {
                throw reason(error, text)
            } catch let error as ProtectedDatabaseError where error.isLocked {
                throw afterBeginning(DatabaseAccess.reason(error, path))
            }
            for name in parameters.keys.sorted() where !used.contains(name) {
                Terminal.note("no statement has a parameter \(name)")
            }
        }
    }

    /// What was sealed in the middle is told, not begun again.
    private func afterBeginning(_ error: any Error) -> any Error {
        guard hasBegun, let error = error as? ProtectionError, error.code == .sealed else {
            return error
        }
        return VolumeAccess.failure(error)
    }

    private func readSQL() throws -> String {
        if let sql { return sql }
        var text = arguments.operands[3]
        if text == "-" {
            var bytes = [UInt8](repeating: 0, count: Self.byteCountMaximum + 1)
            let count = try HostFile.standardInput.fill(&bytes)
            guard count <= Self.byteCountMaximum else {
                throw Failure("standard input: it is longer than 16 MiB")
            }
            guard let valid = String(validating: bytes[..<count], as: UTF8.self) else {
                throw Failure("standard input: it is not UTF-8")
            }
            text = valid
        }
        guard !text.utf8.contains(0) else { throw Failure("the SQL has a zero byte") }
        sql = text
        return text
    }

    private func run(_ statement: ScriptStatement) throws {
        guard mayWrite || statement.isReadOnly else {
            throw Failure(
                "\(path): a statement would change something", remedy: "give --write if it may")
        }
        for (index, name) in statement.parameterNames.enumerated() {
            guard let name else {
                throw Failure(
                    "a parameter has no name", remedy: "write :name, and give --param name=VALUE")
            }
            let key = String(name.dropFirst())
            guard let value = parameters[key] else {
                throw Failure(
                    "parameter \(name) has no value", remedy: "give --param \(key)=VALUE")
            }
            used.insert(key)
            try statement.bind(.text(value), at: index + 1)
        }
        let columns = statement.columnNames
        var printer = RowPrinter(columns, isJSON: isJSON)
        var row = try statement.step()
        hasBegun = true
        while let values = row {
            try Interruption.check()
            try printer.add(values)
            row = try statement.step()
        }
        if !columns.isEmpty { try printer.finish() }
    }

    /// SQL that is wrong, with the place.
    private func reason(_ error: DatabaseScriptError, _ text: String) -> any Error {
        guard let offset = error.byteOffset, error.error.cause == nil else {
            return error.error.isLocked
                ? afterBeginning(DatabaseAccess.reason(error.error, path)) : error.error
        }
        let before = text.utf8.prefix(offset)
        let newline = UInt8(ascii: "\n")
        let line = before.count { $0 == newline } + 1
        let start = before.lastIndex(of: newline).map { before.index(after: $0) }
        let column = text[(start ?? before.startIndex)..<before.endIndex].count + 1
        return Failure("SQL, line \(line), column \(column): \(error.error.message)")
    }
}
