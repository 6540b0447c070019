internal import Cryptography

extension ProtectedVolume {
    /// Makes a volume in a folder and leaves it unlocked.
    ///
    /// - Parameters:
    ///   - path: a folder that does not exist yet, or an empty one.
    ///   - configuration: what is decided once.
    ///   - passcode: what unlocks it; `nil` makes a volume that the device key alone opens and
    ///     that never locks, until `setPasscode` gives it one.
    ///   - deviceKey: the machine's key; see `DeviceKey.loadOrCreate(at:)`.
    /// - Throws: `exists` when something is in the folder, `unsuitableHost` when the host could
    ///   tear pages, `noSpace`, `forbidden`.
    public static func create(
        at path: String, configuration: VolumeConfiguration = VolumeConfiguration(),
        passcode: Passcode?, deviceKey: DeviceKey
    ) throws(ProtectionError) -> ProtectedVolume {
        do throws(ProtectionError) {
            let store: FolderStore
            do throws(HostError) {
                try FolderStore.makeFolders(path)
                store = try FolderStore(path: path)
            } catch {
                throw ProtectionError(error)
            }
            return try create(
                in: store, configuration: configuration, passcode: passcode, deviceKey: deviceKey)
        } catch {
            throw error.at(path)
        }
    }

    /// Makes a volume in a backing store.
    package static func create(
        in store: any BackingStore, configuration: VolumeConfiguration, passcode: Passcode?,
        deviceKey: DeviceKey, accessRules: AccessRules = AccessRules(),
        clock: any Clock<Duration> = ContinuousClock()
    ) throws(ProtectionError) -> ProtectedVolume {
        // Looked at before anything is made there, and again when no other process can come between.
        try requireEmpty(store)
        try own(store)
        do {
            try requireEmpty(store)
            let secrets = try translating { () throws(CryptographyError) in
                try VolumeSecrets.random()
            }
            let (keybag, keyring) = try makeKeys(
                configuration, secrets: secrets, passcode: passcode, deviceKey: deviceKey)
            try keyring.unlock(keybag: keybag, secret: secrets.secret)
            let core = VolumeCore(
                store: store, keyring: keyring, record: keybag.record, accessRules: accessRules,
                session: try Session(store: store, keyring: keyring))
            // The keybag comes last: only with it is the folder a volume.
            try Folder.write(
                FolderRecord(childClass: nil, identifier: SecureRandom.bytes(identifierByteCount)),
                in: store.root, core: core, metadata: try keyring.metadata())
            try core.session.beginWriting(keyring)
            try core.session.finish(keyring)
            try KeybagFiles(folder: store.root).write(keybag.record)
            return ProtectedVolume(
                core: core, keybag: keybag, deviceKey: deviceKey, clock: clock, openingNotes: [])
        } catch {
            store.releaseOwnership()
            throw error
        }
    }

    private static func makeKeys(
        _ configuration: VolumeConfiguration, secrets: borrowing VolumeSecrets, passcode: Passcode?,
        deviceKey: DeviceKey
    ) throws(ProtectionError) -> (Keybag, Keyring) {
        do {
            var keybag = try Keybag.make(configuration, secrets: secrets, deviceKey: deviceKey)
            if let passcode {
                try keybag.setPasscode(
                    passcode, cost: configuration.passcodeCost.cost, secret: secrets.secret,
                    deviceKey: deviceKey)
            } else {
                try keybag.removePasscode(secret: secrets.secret, deviceKey: deviceKey)
            }
            let keyring = try Keyring(keybag: keybag, root: secrets.root)
            try keybag.sign(key: keyring.keybagKey)
            return (keybag, keyring)
        } catch {
            throw ProtectionError(error)
        }
    }

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
        wallClock: @escaping @Sendable () -> Int64 = HostClock.seconds
    ) throws(ProtectionError) -> ProtectedVolume {
        try owning(store) { () throws(ProtectionError) in
            let found = try KeybagFiles(folder: store.root).read()
            let keybag = Keybag(record: found.record)
            let root = try keybag.root(deviceKey: deviceKey)
            let volume = try assemble(
                store, found: found, keybag: keybag, root: root, deviceKey: deviceKey,
                accessRules: accessRules, clock: clock, wallClock: wallClock)
            let secret = try keybag.secretWithoutPasscode(deviceKey: deviceKey)
            switch consume secret {
            case .some(let secret):
                try volume.core.keyring.unlock(keybag: keybag, secret: secret)
            case .none: break
            }
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
            return volume
        }
    }

    /// Makes a new volume in memory, for tests and for trying things out. It dies with the process.
    ///
    /// - Parameters: as `create(at:configuration:passcode:deviceKey:)`.
    public static func inMemory(
        configuration: VolumeConfiguration = VolumeConfiguration(), passcode: Passcode?,
        deviceKey: DeviceKey
    ) throws(ProtectionError) -> ProtectedVolume {
        try create(
            in: MemoryStore(), configuration: configuration, passcode: passcode,
            deviceKey: deviceKey)
    }
}

extension ProtectedVolume {
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
        clock: any Clock<Duration>, wallClock: @escaping @Sendable () -> Int64 = HostClock.seconds
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
        if session.isUnclean {
            notes.append(
                "the volume was not closed cleanly; seal verify --repair puts it in order")
        }
        return ProtectedVolume(
            core: core, keybag: keybag, deviceKey: deviceKey, clock: clock, wallClock: wallClock,
            openingNotes: notes)
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
        do {
            return try body()
        } catch {
            store.releaseOwnership()
            throw error
        }
    }

    /// Whether the lock file is one of ours, and not somebody's file of that name.
    private static func isOwnLock(_ store: any BackingStore) -> Bool {
        guard let bytes = try? store.root.readAll(ReservedName.lock, byteCountMaximum: 32) else {
            return false
        }
        let digits = UInt8(ascii: "0")...UInt8(ascii: "9")
        return bytes.count < 16
            && bytes.allSatisfy { digits.contains($0) || $0 == UInt8(ascii: "\n") }
    }

    private static func requireEmpty(_ store: any BackingStore) throws(ProtectionError) {
        let names = try onHost { () throws(HostError) in try store.root.list().map(\.name) }
        if names.contains(where: ReservedName.keybags.contains) { throw .alreadyAVolume }
        // Reserved names alone are what an interrupted call left: there is no ciphertext yet.
        let leftovers = [ReservedName.lock, ReservedName.folder, ReservedName.marker]
        guard names.allSatisfy({ leftovers.contains($0) || $0.hasPrefix(ReservedName.new) }),
            !names.contains(ReservedName.lock) || isOwnLock(store)
        else { throw .folderNotEmpty }
        let capabilities = try onHost { () throws(HostError) in try store.capabilities() }
        guard capabilities.blockByteCount % PageLayout.pageByteCount == 0 else {
            throw .smallBlocks(capabilities.blockByteCount)
        }
    }
}
