internal import Cryptography

extension ProtectedVolume {
    /// Opens a volume. Unless it has no passcode, it is then before its first unlock.
    ///
    /// - Parameters:
    ///   - path: the volume's folder.
    ///   - deviceKey: the key it was made with.
    /// - Throws: `notAVolume`, `newerFormat`, `damaged`, `deviceKey`, `busy`, `forbidden`.
    public static func open(
        at path: String, deviceKey: DeviceKey
    ) throws(ProtectionError) -> ProtectedVolume {
        do {
            return try open(try existingStore(at: path), deviceKey: deviceKey)
        } catch {
            throw error.at(path)
        }
    }

    /// Opens a volume in a backing store.
    package static func open(
        _ store: any BackingStore, deviceKey: DeviceKey, accessRules: AccessRules = AccessRules(),
        clock: any Clock<Duration> = ContinuousClock(),
        wallClock: @escaping @Sendable () -> Int64 = HostClock.seconds,
        dateClock: @escaping @Sendable () -> Int64 = HostClock.milliseconds
    ) throws(ProtectionError) -> ProtectedVolume {
        try owning(store) { () throws(ProtectionError) in
            let found = try KeybagFiles(folder: store.root).read()
            let keybag = Keybag(record: found.record)
            let root = try keybag.root(deviceKey: deviceKey)
            let volume = try assemble(
                store, found: found, keybag: keybag, root: root, deviceKey: deviceKey,
                accessRules: accessRules, clock: clock, wallClock: wallClock, dateClock: dateClock)
            let secret = try keybag.secretWithoutPasscode(deviceKey: deviceKey)
            switch consume secret {
            case .some(let secret):
                try volume.core.keyring.unlock(keybag: keybag, secret: secret)
            case .none: break
            }
            volume.sweepTemporaryItems()
            return volume
        }
    }

    /// Opens a volume with its recovery key alone, unlocked; no device key and no passcode is
    /// needed.
    ///
    /// - Throws: `wrongPasscode`, and as `open(at:deviceKey:)`.
    public static func open(
        at path: String, recoveryKey: RecoveryKey
    ) throws(ProtectionError) -> ProtectedVolume {
        do {
            return try open(try existingStore(at: path), recoveryKey: recoveryKey)
        } catch {
            throw error.at(path)
        }
    }

    /// Opens a volume in a backing store with its recovery key alone.
    package static func open(
        _ store: any BackingStore, recoveryKey: RecoveryKey
    ) throws(ProtectionError) -> ProtectedVolume {
        try owning(store) { () throws(ProtectionError) in
            let found = try KeybagFiles(folder: store.root).read()
            let keybag = Keybag(record: found.record)
            let secret = try keybag.secret(recoveryKey: recoveryKey)
            let root = try keybag.root(secret: secret)
            let volume = try assemble(
                store, found: found, keybag: keybag, root: root, deviceKey: nil,
                accessRules: AccessRules(), clock: ContinuousClock())
            try volume.core.keyring.unlock(keybag: keybag, secret: secret)
            volume.sweepTemporaryItems()
            return volume
        }
    }

}

extension ProtectedVolume {
    /// What the host lacks, as far as the volume's promises depend on it.
    static func hostNotes(_ store: any BackingStore) -> [String] {
        guard let host = try? store.capabilities() else { return [] }
        var notes: [String] = []
        if host.blockByteCount % PageLayout.pageByteCount != 0 {
            notes.append(
                "the host has blocks of \(host.blockByteCount) bytes: a power cut can tear a page")
        }
        if !host.hasAttributes {
            notes.append(
                "the host has no attributes: a new file that a crash empties has its folder's class"
            )
        }
        return notes
    }

    static func existingStore(at path: String) throws(ProtectionError) -> FolderStore {
        do throws(HostError) {
            return try FolderStore(path: path)
        } catch  where error.code == HostError.notFolder {
            throw .notAVolume
        } catch {
            throw ProtectionError(error)
        }
    }

    private static func assemble(
        _ store: any BackingStore, found: KeybagFiles.Found, keybag: Keybag,
        root: borrowing SecretKey, deviceKey: DeviceKey?, accessRules: AccessRules,
        clock: any Clock<Duration>, wallClock: @escaping @Sendable () -> Int64 = HostClock.seconds,
        dateClock: @escaping @Sendable () -> Int64 = HostClock.milliseconds
    ) throws(ProtectionError) -> ProtectedVolume {
        let keyring: Keyring
        do {
            keyring = try Keyring(keybag: keybag, root: root)
        } catch {
            throw ProtectionError(error)
        }
        let session = try Session(store: store, keyring: keyring)
        let core = VolumeCore(
            store: store, keyring: keyring, record: keybag.record, accessRules: accessRules,
            session: session)
        var notes: [String] = []
        if let fault = found.fault {
            let files = KeybagFiles(folder: store.root)
            let isRepaired =
                found.mayRepair && (try? files.write(keybag.record)) != nil
            notes.append(
                "\(fault); the other copy was used\(isRepaired ? " and both are whole again" : "")")
        }
        if let fault = session.fault { notes.append("\(fault); a missing end counts as damage") }
        notes += hostNotes(store)
        if session.isUnclean {
            notes.append(
                "the volume was not closed cleanly; seal verify --repair puts it in order")
        }
        return ProtectedVolume(
            core: core, keybag: keybag, deviceKey: deviceKey, clock: clock, wallClock: wallClock,
            dateClock: dateClock, openingNotes: notes)
    }

    static func own(_ store: any BackingStore) throws(ProtectionError) {
        do throws(HostError) {
            try store.acquireOwnership()
        } catch  where error.code == HostError.wouldBlock {
            throw .busy(owner: try? (store as? FolderStore)?.ownerProcess())
        } catch  where error.code == HostError.noSuchEntry {
            throw .notAVolume
        } catch {
            throw ProtectionError(error)
        }
    }

    private static func owning(
        _ store: any BackingStore, _ body: () throws(ProtectionError) -> ProtectedVolume
    ) throws(ProtectionError) -> ProtectedVolume {
        // A folder that is no volume gets no lock file from us.
        _ = try KeybagFiles(folder: store.root).read()
        try own(store)
        // On a host that cannot be written, what was left stays.
        try? store.root.destroyLeftRecords()
        do {
            return try body()
        } catch {
            store.releaseOwnership()
            throw error
        }
    }
}
