import DataProtection
import Testing

/// Every cell of the tables in TruthTable.swift that the Foundation-shaped calls reach.
@Suite struct `The truth table of file calls` {
    /// A class is changed by name only, and so a file of class `completeUnlessOpen` that is open
    /// cannot be changed while locked.
    private static func isReached(_ row: TruthRow, _ protectionClass: ProtectionClass) -> Bool {
        if case .changeHandle = row.deed { return protectionClass == .complete }
        return true
    }

    @Test(arguments: `The truth table`.Column.all)
    func `holds in every cell`(column: `The truth table`.Column) throws {
        let rig = try VolumeRig(column.store)
        let rows = TruthTable.rows(column.protectionClass).filter {
            $0.expected(in: column.state) != nil && Self.isReached($0, column.protectionClass)
        }
        #expect(rows.count >= 17)
        for row in rows {
            try FilesDeedSite.prepare(row.deed, column.protectionClass, in: rig.files)
        }
        if column.state == .beforeFirstUnlock { try rig.enter(column.state) }
        let files = rig.files
        let sites = try rows.map { row in
            FilesDeedSite(
                deed: row.deed, protectionClass: column.protectionClass, files: files,
                handle: try FilesDeedSite.openHandle(row.deed, in: files))
        }
        if column.state != .beforeFirstUnlock { try rig.enter(column.state) }
        let outcomes = sites.map { site in Outcome.ofFiles { try site.act() } }
        #expect(rig.volume.lockState == column.state)
        try rig.unlock()
        for (row, (site, outcome)) in zip(rows, zip(sites, outcomes)) {
            #expect(outcome == row.expected(in: column.state), "\(row.deed)")
            try site.verify(outcome)
        }
    }
}
