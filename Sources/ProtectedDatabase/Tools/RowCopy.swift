/// Carries the rows of one table into another database, around what cannot be read.
struct RowCopy {
    /// How many rows were carried over.
    private(set) var count: Int64 = 0
    /// What SQLite said of the first that was not.
    private(set) var damage: String?

    /// Row numbers, both ends left out, between which nothing could be read from either end.
    private struct Gap {
        let low: Int64
        let high: Int64
    }

    /// How often it is tried to come between damaged pages.
    private static let probeMaximum = 2000
    /// How far behind the last damaged page rows are looked for.
    private static let reach: Int64 = 1 << 20

    private let source: ProtectedDatabase
    private let target: ProtectedDatabase
    private let selection: String
    private let number: String
    private let insertion: ScriptStatement
    private let check: () throws -> Void

    init(
        from source: ProtectedDatabase, into target: ProtectedDatabase, table: String,
        columns: [String], check: @escaping () throws -> Void
    ) throws {
        self.source = source
        self.target = target
        self.check = check
        number = columns.first ?? ""
        let list = columns.joined(separator: ", ")
        selection = "SELECT \(list) FROM \(table) NOT INDEXED"
        let marks = columns.map { _ in "?" }.joined(separator: ", ")
        let sql = "INSERT OR IGNORE INTO \(table) (\(list)) VALUES (\(marks))"
        guard let statement = try DatabaseScript(sql, of: target).next() else {
            preconditionFailure()
        }
        insertion = statement
    }

    /// Carries over what stands before the damage in the order of the table's key, and what
    /// stands behind it.
    mutating func runByKey(_ columns: [String]) throws {
        guard try copy(selection, []).isCut, !columns.isEmpty else { return }
        let order = columns.map { "\($0) DESC" }.joined(separator: ", ")
        _ = try copy("\(selection) ORDER BY \(order)", [])
    }

    /// Carries over all that can be read, by row numbers.
    mutating func runByNumber() throws {
        var low = Int64.min
        var gaps: [Gap] = []
        while true {
            let forward = try copy(
                "\(selection) WHERE \(number) >= ?1 ORDER BY \(number)", [.integer(low)])
            if let last = forward.last { low = last }
            guard forward.isCut else { break }
            // Steps from the least number on would pass over all that are in use.
            if low == Int64.min { low = 0 }
            guard let next = try next(behind: low) else {
                let (end, isBeyond) = low.addingReportingOverflow(Self.reach)
                gaps.append(Gap(low: low, high: isBeyond ? Int64.max : end))
                break
            }
            gaps.append(Gap(low: low, high: next))
            low = next
        }
        try fill(gaps)
    }

    /// A row number behind some damage from which on something can be read, found in steps that
    /// double.
    private func next(behind low: Int64) throws -> Int64? {
        var step: Int64 = 1
        while step < Int64.max / 2 {
            let (place, isBeyond) = low.addingReportingOverflow(step)
            if isBeyond { return nil }
            do throws(ProtectedDatabaseError) {
                let found = try source.query(
                    "\(selection) WHERE \(number) >= ?1 ORDER BY \(number) LIMIT 1",
                    [.integer(place)])
                guard case .integer(let first)? = found.first?.first else { return nil }
                return first
            } catch {
                guard error.kind == .damaged else { throw error }
            }
            step *= 2
        }
        return nil
    }

    /// Looks for what can be read between damaged pages: from both ends of a gap, then from its
    /// middle, and so on.
    private mutating func fill(_ found: [Gap]) throws {
        var gaps = found[...]
        var probes = 0
        while let gap = gaps.popFirst(), probes < Self.probeMaximum {
            probes += 1
            let high = try copy(between: gap.low, gap.high, fromBehind: true)
            guard high.isCut else { continue }
            let end = high.last ?? gap.high
            guard end > gap.low, end - 1 > gap.low else { continue }
            let middle = gap.low + (end - gap.low) / 2
            let low = try copy(between: middle - 1, end, fromBehind: false)
            gaps.append(Gap(low: gap.low, high: middle))
            if low.isCut, let last = low.last { gaps.append(Gap(low: last, high: end)) }
            if low.last == nil, low.isCut { gaps.append(Gap(low: middle, high: end)) }
        }
    }

    private mutating func copy(
        between low: Int64, _ high: Int64, fromBehind: Bool
    ) throws -> (last: Int64?, isCut: Bool) {
        let order = fromBehind ? " DESC" : ""
        return try copy(
            "\(selection) WHERE \(number) > ?1 AND \(number) < ?2 ORDER BY \(number)\(order)",
            [.integer(low), .integer(high)])
    }

    /// Carries over what a query yields, up to its end or to some damage.
    private mutating func copy(
        _ sql: String, _ values: [ProtectedDatabaseValue]
    ) throws -> (last: Int64?, isCut: Bool) {
        guard let statement = try DatabaseScript(sql, of: source).next() else {
            return (nil, false)
        }
        for (index, value) in values.enumerated() { try statement.bind(value, at: index + 1) }
        var last: Int64?
        do {
            while try statement.advance() {
                try insertion.bind(rowOf: statement)
                last = statement.firstNumber
                _ = try insertion.advance()
                count += target.changedRowCount
                try check()
            }
            return (last, false)
        } catch let error as ProtectedDatabaseError where error.kind == .damaged {
            damage = damage ?? error.reason
            return (last, true)
        }
    }
}
