/// Which class can be used in which lock state: the one table behind every check.
///
/// The keys enforce the same: a key that a state may not hold is wiped on entering it. The table
/// says it first, so that a refusal is an answer and not a failed decryption.
///
/// Source: Apple Platform Security, *Data Protection classes*; XNU's data protection tests.
package struct AccessRules: Sendable, Equatable {
    /// Classes a closed file of which can be opened while locked.
    package var openWhileLocked: Set<ProtectionClass> = [
        .completeUntilFirstUserAuthentication, .none,
    ]
    /// Classes a new file can have while locked.
    package var createWhileLocked: Set<ProtectionClass> = [
        .completeUnlessOpen, .completeUntilFirstUserAuthentication, .none,
    ]
    /// Classes whose open handles go on working while locked.
    package var useHandleWhileLocked: Set<ProtectionClass> = [
        .completeUnlessOpen, .completeUntilFirstUserAuthentication, .none,
    ]
    /// Classes a closed file of which can be opened before the first unlock.
    package var openBeforeFirstUnlock: Set<ProtectionClass> = [.none]
    /// Classes a new file can have before the first unlock.
    package var createBeforeFirstUnlock: Set<ProtectionClass> = [.completeUnlessOpen, .none]
    /// Classes whose open handles work before the first unlock.
    package var useHandleBeforeFirstUnlock: Set<ProtectionClass> = [.completeUnlessOpen, .none]

    /// Whether a file's class can be asked for. Apple's Simulator and a plain Linux folder take a
    /// class and record none.
    package var tellsClasses = true

    /// The rules that Apple's devices follow.
    package init() {}

    /// Whether a closed file of a class can be opened, or its class changed.
    package func allowsOpening(_ protectionClass: ProtectionClass, in state: LockState) -> Bool {
        switch state {
        case .unlocked, .grace: true
        case .locked: openWhileLocked.contains(protectionClass)
        case .beforeFirstUnlock: openBeforeFirstUnlock.contains(protectionClass)
        }
    }

    /// Whether a file of a class can be created, or given that class.
    package func allowsCreating(_ protectionClass: ProtectionClass, in state: LockState) -> Bool {
        switch state {
        case .unlocked, .grace: true
        case .locked: createWhileLocked.contains(protectionClass)
        case .beforeFirstUnlock: createBeforeFirstUnlock.contains(protectionClass)
        }
    }

    /// Whether a handle that is open can be read, written and cut.
    package func allowsUsingHandle(of protectionClass: ProtectionClass, in state: LockState) -> Bool
    {
        switch state {
        case .unlocked, .grace: true
        case .locked: useHandleWhileLocked.contains(protectionClass)
        case .beforeFirstUnlock: useHandleBeforeFirstUnlock.contains(protectionClass)
        }
    }
}
