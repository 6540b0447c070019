package import Cryptography
package import Synchronization

/// The keys of an open volume: each lives exactly as long as its class allows.
///
/// The lock state is kept with the keys, under one mutex: no state ever holds a key that it may
/// not.
package final class Keyring: Sendable {
    /// The volume whose keys these are.
    package let volumeIdentifier: [UInt8]
    /// The AEAD of the volume.
    package let algorithm: AEADAlgorithm
    /// What class B files are made with.
    package let publicKey: [UInt8]
    /// Authenticates the keybag.
    package let keybagKey: SecretKey
    /// Authenticates the marker.
    package let markerKey: SecretKey
    /// Whether the volume has a passcode; without one it never locks.
    package let hasPasscode: Atomic<Bool>

    let keys: Mutex<Keys>

    /// Everything whose life depends on the lock state.
    struct Keys: ~Copyable, Sendable {
        var state = LockState.beforeFirstUnlock
        var metadata: MetadataKeys?
        let classNone: SecretKey
        let agreementSalt: SecretKey
        var complete: SecretKey?
        var agreement: SecretKey?
        var untilFirstUnlock: SecretKey?
    }

    /// Puts together what exists without a passcode.
    package init(keybag: Keybag, root: borrowing SecretKey) throws(CryptographyError) {
        volumeIdentifier = keybag.record.volumeIdentifier
        algorithm = keybag.algorithm
        publicKey = keybag.record.publicKey
        hasPasscode = Atomic(keybag.hasPasscode)
        keybagKey = try keybag.derive(root, "keybag")
        markerKey = try keybag.derive(root, "marker")
        let metadata =
            keybag.record.hasPrivateNames ? nil : try MetadataKeys(keybag: keybag, root: root)
        let classNone = try keybag.derive(root, "class none")
        let agreementSalt = try keybag.derive(root, "class completeUnlessOpen salt")
        keys = Mutex(
            Keys(metadata: metadata, classNone: classNone, agreementSalt: agreementSalt))
    }

    /// The state as it is now; it may be another one a moment later.
    package var state: LockState { keys.withLock { $0.state } }

    /// The keys of names and folders.
    ///
    /// - Throws: `sealed` when names are private and nobody has unlocked yet.
    package func metadata() throws(ProtectionError) -> MetadataKeys {
        guard let metadata = keys.withLock({ $0.metadata }) else { throw .namesSealed }
        return metadata
    }
}

/// The keys of names, folder records, kept modes, links and attributes.
package final class MetadataKeys: Sendable {
    /// Seals names.
    package let names: SyntheticIVCipher
    /// Authenticates folder records.
    package let folderKey: SecretKey
    /// Authenticates kept modes.
    package let modeKey: SecretKey
    /// Seals targets of symbolic links, and values of `user.*` attributes.
    package let attributesKey: SecretKey

    /// Derives them from the metadata root.
    package init(keybag: Keybag, root: borrowing SecretKey) throws(CryptographyError) {
        let authenticationKey = try keybag.derive(root, "names authentication")
        let encryptionKey = try keybag.derive(root, "names encryption")
        names = try SyntheticIVCipher(
            authenticationKey: authenticationKey, encryptionKey: encryptionKey)
        folderKey = try keybag.derive(root, "folder record")
        modeKey = try keybag.derive(root, "file mode")
        attributesKey = try keybag.derive(root, "attributes")
    }
}
