import Testing

/// docs/reports.md, and the tests that it promises.
@Suite("The table of reports")
struct ReportTableTests {
    private static func promised() throws -> [String] {
        try SourceTree.list("docs/reports.md").compactMap { line -> String? in
            let cells = line.split(separator: "|", omittingEmptySubsequences: false)
                .map { $0.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed() }
                .map { String($0) }
            guard cells.count == 5, cells[1] != "report", !cells[1].hasPrefix("-") else {
                return nil
            }
            // A report without a test says what it waits for.
            #expect(!cells[2].isEmpty || !cells[3].isEmpty, "\(cells[1])")
            return cells[2].isEmpty ? nil : "\(cells[1]): \(cells[2])"
        }
    }

    private static func tests() throws -> [String] {
        try SourceTree.files("Tests", ending: "swift")
            .filter { $0.path.contains("/Report") }
            .flatMap { file in
                file.lines.joined(separator: " ").matches(of: /@Test\(\s*"([^"]+)"/).map {
                    String($0.1)
                }
            }
    }

    @Test func `names a test for each report that is about files and classes`() throws {
        let promised = try Self.promised()
        #expect(promised.count > 70)
        #expect(try promised.sorted() == Self.tests().sorted())
    }
}
