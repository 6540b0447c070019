package import DataProtection

/// What is wrong with a database: with its pages in the volume, and with what SQLite finds in them.
package struct DatabaseExamination {
    /// A page that is not what was written.
    package struct Page: Sendable {
        /// Its number, from 1.
        package let number: Int64
        /// The table or index that it belongs to; `nil` where nothing leads to it.
        package let owner: String?
    }

    /// The damaged pages, in order.
    package let damagedPages: [Page]
    /// What SQLite says, a sentence each.
    package private(set) var faults: [String] = []
    /// How many pages there are.
    package let pageCount: Int64
    /// How long each is, in bytes.
    package let pageByteCount: Int

    /// Whether nothing is wrong.
    package var isWhole: Bool { damagedPages.isEmpty && faults.isEmpty }

    /// Examines a database.
    ///
    /// - Parameter progress: is told how many bytes were read; what it throws ends it.
    /// - Throws: `sealed`, `missing`; `damaged` when nothing can be told of its pages.
    package init(
        _ path: String, in volume: ProtectedVolume, progress: (Int64) throws -> Void
    ) throws {
        var roots: [(name: String, page: Int64)] = [("the list of tables", 1)]
        var refusal: ProtectedDatabaseError?
        do throws(ProtectedDatabaseError) {
            var configuration = ProtectedDatabaseConfiguration()
            configuration.makesMissing = false
            // Puts a log in order, too, so that the pages are those of the last commit.
            let database = try ProtectedDatabase.open(
                path, in: volume, configuration: configuration)
            roots += try Self.roots(of: database)
            faults = try database.faults()
            try database.close()
        } catch {
            guard error.kind == .damaged else { throw error }
            refusal = error
        }
        let pages = try DatabasePages(path, in: volume, progress: progress)
        pageCount = pages.count
        pageByteCount = pages.pageByteCount
        // That SQLite stumbles over damaged pages says nothing more.
        guard !pages.damaged.isEmpty else {
            damagedPages = []
            guard let refusal else { return }
            if refusal.isAboutNoDatabase { throw refusal }
            faults.append("SQLite cannot read all of it: \(refusal.reason)")
            return
        }
        var owners = PageOwners(pages)
        for root in roots { owners.add(root.name, root: root.page) }
        damagedPages = pages.damaged.map { Page(number: $0, owner: owners.owner(of: $0)) }
    }

    private static func roots(
        of database: ProtectedDatabase
    ) throws(ProtectedDatabaseError) -> [(name: String, page: Int64)] {
        try database.query(
            "SELECT type || ' ' || name, rootpage FROM sqlite_schema WHERE rootpage > 0"
        ).compactMap { row in
            guard case .text(let name) = row[0], case .integer(let page) = row[1] else {
                return nil
            }
            return (name, page)
        }
    }
}
