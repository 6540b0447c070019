extension ProtectionPolicy {
    /// The kinds that most apps have, to begin with.
    ///
    /// The sources disagree about temporary files and caches: public ones are said to need nothing,
    /// and the same folders are where plaintext leaks. A copy in a temporary folder is as sensitive
    /// as its original, and what is cheap to make again costs nothing to protect; so both get the
    /// default, which a program in the background can use.
    public static var template: ProtectionPolicy {
        func kind(
            _ name: String, _ patterns: [String], _ protectionClass: ProtectionClass,
            whileLocked: ProtectionClass? = nil, _ need: PolicyNeed, _ reason: String
        ) -> PolicyKind {
            PolicyKind(
                name: name, patterns: patterns.compactMap(PolicyPattern.init),
                class: protectionClass, classWhileLocked: whileLocked, need: need, reason: reason)
        }
        return ProtectionPolicy(kinds: [
            kind(
                "health record", ["Documents/Health/**"], .complete, .whileUnlocked,
                "health data is read with the person present"),
            kind(
                "financial record", ["Documents/Finance/**"], .complete, .whileUnlocked,
                "financial data is read with the person present"),
            kind(
                "note", ["Documents/Notes/**"], .complete, .whileUnlocked,
                "private notes are read and written with the person present"),
            kind(
                "share inbox", ["Groups/*/Inbox/**"], .complete,
                whileLocked: .completeUnlessOpen, .whileUnlocked,
                "it is drained while unlocked; what arrives while locked is sealed once closed"),
            kind(
                "capture", ["Captures/**"], .completeUnlessOpen, .whileOpen,
                "it arrives in the background, and is sealed once it is closed"),
            kind(
                "outbox", ["Outbox/*/*", "Library/Outbox/*/*"], .complete,
                whileLocked: .completeUnlessOpen, .whileUnlocked,
                "it is sent while unlocked; what is saved while locked is sealed once closed"),
            kind(
                "large download", ["Downloads/**"], .completeUnlessOpen, .whileOpen,
                "it goes on while the device locks, and is sealed once it is closed"),
            kind(
                "database", ["Library/Application Support/**"],
                .completeUntilFirstUserAuthentication, .afterFirstUnlock,
                "background work touches it; complete is right where none does"),
            kind(
                "downloaded image", ["Library/Images/**"],
                .completeUntilFirstUserAuthentication, .afterFirstUnlock,
                "it is shown and fetched in the background"),
            kind(
                "cache", ["Library/Caches/**"],
                .completeUntilFirstUserAuthentication, .afterFirstUnlock,
                "cheap to make again, and as sensitive as what it was made from"),
            kind(
                "temporary file", ["tmp/**"],
                .completeUntilFirstUserAuthentication, .afterFirstUnlock,
                "a copy must not be more readable than its original; temporaryFile(like:) goes"
                    + " further"),
        ])
    }
}
