/// Who speaks when a new file gets its class, in the order in which they are asked.
///
/// The first that has an answer decides. docs/classes.md holds this list, and a test compares it.
package enum ClassSource: String, Sendable, CaseIterable {
    case explicit = "The class that was asked for"
    case sharedMemory = "A database's shared memory"
    case formerFile = "The former file of that name"
    case companion = "The file beside it"
    case policy = "The policy"
    case folder = "The folder"
    case volume = "The volume"

    /// What the source says, for people.
    package var sentence: String {
        switch self {
        case .explicit:
            "Whoever makes the file may name its class. That wins, also when it is a weaker one; "
                + "one that is weaker than the policy's is refused or raised, as the policy says."
        case .sharedMemory:
            "`X-shm` gets what the policy, its folder or the volume gives, but at most "
                + "`completeUntilFirstUserAuthentication`: it is mapped into memory, holds no "
                + "content, and would kill the program at lock."
        case .formerFile:
            "The file that is about to be replaced, or the one that had this name until ten "
                + "seconds ago, or `X~` beside a new `X`: its class, unless that of the policy or "
                + "the folder is stronger."
        case .companion:
            "`X-wal`, `X-journal`, `X~`, `.X.swp`, `.X.swo`, `.X.swx` and `.#X` get the class "
                + "of an `X` that is there."
        case .policy:
            "The class of the file's kind, in a volume with a policy (docs/policy.md)."
        case .folder:
            "The class that the folder gives to new children, if it has one."
        case .volume:
            "The default that was chosen when the volume was made."
        }
    }

    /// The rule sets in which the source is asked.
    package var ruleSets: [RuleSet] {
        switch self {
        case .explicit, .policy, .folder, .volume: RuleSet.allCases
        case .sharedMemory, .formerFile, .companion: [.safer]
        }
    }

    /// The source's answer; `nil` when it has none, and the next one is asked.
    func answer(in context: NewFileContext) -> ProtectionClass? {
        let inherited = context.policy ?? context.folder ?? context.volume
        switch self {
        case .explicit: return context.explicit
        case .sharedMemory:
            guard context.isSharedMemory else { return nil }
            return inherited.isStricter(than: .completeUntilFirstUserAuthentication)
                ? .completeUntilFirstUserAuthentication : inherited
        case .formerFile:
            return (context.replaced ?? context.remembered).map {
                ProtectionClass.stricter($0, inherited)
            }
        case .companion: return context.companion
        case .policy: return context.policy
        case .folder: return context.folder
        case .volume: return context.volume
        }
    }
}
