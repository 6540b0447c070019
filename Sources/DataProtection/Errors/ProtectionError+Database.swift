// The sentences about databases; see the catalogue.

extension ProtectionError {
    /// A transaction was open when the volume was locked.
    package static var transactionMetLock: ProtectionError {
        ProtectionError(
            .sealed, "the volume was locked during the transaction, which was rolled back",
            remedy: "begin it anew when the volume is unlocked")
    }

    /// A class in a database's name that is none.
    package static func unknownDatabaseClass(_ name: String) -> ProtectionError {
        ProtectionError(
            .invalidArgument, "class=\(name) is no protection class",
            remedy: "write complete, completeUnlessOpen, completeUntilFirstUserAuthentication "
                + "or none")
    }

    /// One page cache for several connections outlives the connection that a lock must reach.
    package static var sharedCacheRefused: ProtectionError {
        ProtectionError(
            .notSupported, "a database of a volume cannot be opened with a shared cache",
            remedy: "leave out cache=shared; several connections are fine without it")
    }

    /// A journal without its database.
    package static var sideFileAlone: ProtectionError {
        invalidArgument("a journal is opened with the database that it belongs to")
    }

    /// A key of another store's options.
    package static func unknownDatabaseOption(_ key: String) -> ProtectionError {
        ProtectionError(
            .invalidArgument, "a database has no option \(key)",
            remedy: "the class is the only one: ProtectedDatabaseConfiguration.fileProtectionKey")
    }
}
