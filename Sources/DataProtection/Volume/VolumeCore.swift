internal import Cryptography
internal import Synchronization

/// What every part of an open volume works with.
final class VolumeCore: Sendable {
    /// The host files.
    let store: any BackingStore
    /// The keys, and the lock state.
    let keyring: Keyring
    /// Which class can be used in which state.
    let accessRules: AccessRules
    /// How classes survive the habits of programs.
    let ruleSet: RuleSet
    /// Names that belong to a file beside them.
    let companionNames = Mutex(CompanionNames.standard)
    /// The class of new files where no folder says otherwise.
    let defaultClass: ProtectionClass
    /// Whether the volume was closed cleanly; marks it before the first write.
    let session: Session
    /// Cipher contexts and buffers at rest.
    let workspaces = WorkspacePool()
    /// The files that are open now.
    let inodes = InodeTable()
    /// Names that were sealed or opened lately.
    let names = NameCache()
    /// Counts changes of a file's class, so that what was noted of one is known to be old.
    let classChanges = Atomic(0)
    /// The outboxes that are in use, by their folders.
    let outboxes = Mutex<[UInt64: WeakOutbox]>([:])
    /// The policy, as it was read last.
    let policy = Mutex(PolicyCache())
    /// Held while a small secret is changed, so that nothing changes between looking and writing.
    let secretChanges = Mutex(())
    /// Where a test comes between.
    let seam = OperationSeam()
    /// The same for unlocks, between the key derivation and the end.
    let unlockSeam = OperationSeam()
    /// Who keeps decrypted content above the engine, and drops it at lock.
    let caches = CacheSeam()
    /// Whether the volume was not closed; afterwards another process may own it.
    let isOpen = Atomic(true)

    init(
        store: any BackingStore, keyring: Keyring, record: KeybagRecord, accessRules: AccessRules,
        session: Session
    ) {
        self.store = store
        self.keyring = keyring
        self.accessRules = accessRules
        ruleSet = record.ruleSet
        defaultClass = record.defaultClass
        self.session = session
    }

    /// Refuses everything after the volume was closed.
    func requireOpen() throws(ProtectionError) {
        guard isOpen.load(ordering: .acquiring) else { throw .closed }
    }

    /// Refuses what the lock state does not allow.
    func requireOpening(_ protectionClass: ProtectionClass) throws(ProtectionError) {
        try requireOpen()
        let state = keyring.state
        guard accessRules.allowsOpening(protectionClass, in: state) else {
            throw .sealed(protectionClass, state)
        }
    }

    /// Refuses a change to a class that the lock state does not allow.
    func requireChanging(to protectionClass: ProtectionClass) throws(ProtectionError) {
        try requireOpen()
        let state = keyring.state
        guard accessRules.allowsCreating(protectionClass, in: state) else {
            throw .sealedChange(to: protectionClass, state)
        }
    }

    /// Refuses a new file that the lock state does not allow.
    func requireCreating(_ protectionClass: ProtectionClass) throws(ProtectionError) {
        try requireOpen()
        let state = keyring.state
        guard accessRules.allowsCreating(protectionClass, in: state) else {
            throw .sealed(protectionClass, state, creating: true)
        }
    }

    /// Refuses the use of an open handle that the lock state does not allow.
    func requireHandle(of protectionClass: ProtectionClass) throws(ProtectionError) {
        try requireOpen()
        let state = keyring.state
        guard accessRules.allowsUsingHandle(of: protectionClass, in: state) else {
            throw .sealed(protectionClass, state)
        }
    }

    /// A class as those see it who ask for an item's attributes.
    func told(_ protectionClass: ProtectionClass?) -> ProtectionClass? {
        accessRules.tellsClasses ? protectionClass : nil
    }
}
