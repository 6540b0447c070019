package import Cryptography
internal import Synchronization

// The transitions of the lock state, each with its keys.
//
//     beforeFirstUnlock ──unlock──► unlocked ──beginGrace──► grace ──lock──► locked
//                                      ▲                       │               │
//                                      └────────unlock─────────┴────unlock─────┘

extension Keyring {
    /// Derives and keeps every class key; all of them or none.
    ///
    /// - Returns: the state before.
    /// - Throws: `damaged` when the secret does not belong to the public key in the keybag.
    @discardableResult
    package func unlock(
        keybag: Keybag, secret: borrowing SecretKey
    ) throws(ProtectionError) -> LockState {
        var fresh: Unlocked?
        let metadata: MetadataKeys?
        do throws(CryptographyError) {
            fresh = try Unlocked(keybag: keybag, secret: secret)
            metadata =
                keybag.record.hasPrivateNames
                ? try MetadataKeys(keybag: keybag, root: secret) : nil
        } catch .authenticationFailed {
            throw .damaged("the keybag's public key is not its private key's")
        } catch {
            throw ProtectionError(error)
        }
        return keys.withLock { keys in
            let before = keys.state
            if let unlocked = fresh.take() {
                keys.adopt(unlocked)
            }
            if keys.metadata == nil { keys.metadata = metadata }
            return before
        }
    }

    /// Starts the time in which the user can come back without the passcode being forgotten.
    ///
    /// - Returns: whether the state was `unlocked`, and the volume has a passcode.
    package func beginGrace() -> Bool {
        keys.withLock { keys in
            guard keys.state == .unlocked, hasPasscode.load(ordering: .relaxed) else {
                return false
            }
            keys.state = .grace
            return true
        }
    }

    /// Closes the gate and wipes the keys that a locked volume may not hold.
    ///
    /// - Returns: whether the state was `grace`; otherwise nothing happens.
    package func lock() -> Bool {
        keys.withLock { keys in
            guard keys.state == .grace else { return false }
            keys.state = .locked
            keys.complete = nil
            keys.agreement = nil
            return true
        }
    }

    /// For good, when the volume is closed: what an unlock brought is wiped, and so are the names'
    /// keys.
    package func wipe() {
        keys.withLock { keys in
            keys.state = .beforeFirstUnlock
            keys.metadata = nil
            keys.complete = nil
            keys.agreement = nil
            keys.untilFirstUnlock = nil
        }
    }
}

/// The keys that come with an unlock.
struct Unlocked: ~Copyable {
    let complete: SecretKey
    let agreement: SecretKey
    let untilFirstUnlock: SecretKey

    /// Derives them.
    ///
    /// - Throws: `authenticationFailed` when the keybag's public key is not their agreement key's.
    init(keybag: Keybag, secret: borrowing SecretKey) throws(CryptographyError) {
        let complete = try keybag.derive(secret, "class complete")
        let agreement = try keybag.derive(secret, "class completeUnlessOpen")
        let untilFirstUnlock = try keybag.derive(
            secret, "class completeUntilFirstUserAuthentication")
        guard try KeyAgreement.publicKey(of: agreement) == keybag.record.publicKey else {
            throw .authenticationFailed
        }
        self.complete = complete
        self.agreement = agreement
        self.untilFirstUnlock = untilFirstUnlock
    }
}

extension Keyring.Keys {
    mutating func adopt(_ unlocked: consuming Unlocked) {
        state = .unlocked
        complete = .some(unlocked.complete)
        agreement = .some(unlocked.agreement)
        untilFirstUnlock = .some(unlocked.untilFirstUnlock)
    }
}
