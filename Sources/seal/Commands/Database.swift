import DataProtection

extension Command {
    static let database = Command(
        "db", "copy SQLite databases in and out, ask them, check them",
        operands: [
            .volume, Operand("ACTION", .choice(DatabaseAction.allCases.map(\.rawValue))),
            Operand("WORD", .item, repeats: true, kindAfter: DatabaseAction.kind),
        ],
        options: [
            .protectionClass, DatabaseOption.force, DatabaseOption.write,
            DatabaseOption.parameter, DatabaseOption.recover, .json,
        ] + Option.access,
        details: """
            import FILE PATH   copies the database FILE into the volume.
            export PATH FILE   copies a database out, to FILE or, for -, to standard output.
            query PATH SQL     runs statements, from standard input for -; prints their rows.
            check PATH         says what is damaged: pages, and whose they are.

            import takes one state of FILE, also while programs use it, and leaves FILE as it is.
            What is copied is checked before it gets its name: a database at PATH is the old one or
            the new one, never a half. Without --class the rules of the volume choose, as for put.

            export makes a plain copy: what leaves the volume has no protection class any more. It
            appears whole or not at all, and nothing is left beside it.

            query changes nothing without --write, and makes no database. Rows are lines with tabs
            between the values: \\N is NULL, \\x and digits a blob, and in a text \\t, \\n, \\r
            and \\\\ stand for those characters. On a terminal there are headings and columns, with
            --json an array of objects for each statement. --param gives :name, @name or $name a
            text. The first failure ends it; what statements wrote before it stays, outside of
            BEGIN and COMMIT.

            check reads every page and has SQLite look at the whole. With --recover what can be read
            goes into a new database of the same class at NEW, row by row around the damage. It
            ends with 5 when something is damaged, also when all of it was recovered.
            """,
        examples: [
            "seal db vault import notes.db notes.db --class complete",
            "seal db vault query notes.db 'SELECT * FROM notes WHERE id = :id' --param id=7",
        ],
        run: runDatabase)

    private static func runDatabase(_ arguments: Arguments) throws {
        switch try arguments.databaseAction() {
        case .import: try DatabaseImport(arguments).run()
        case .export: try DatabaseExport.run(arguments)
        case .query: try DatabaseQuery(arguments).run()
        case .check: try DatabaseCheck.run(arguments)
        }
    }
}
