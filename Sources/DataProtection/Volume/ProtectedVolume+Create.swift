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
        clock: any Clock<Duration> = ContinuousClock(),
        wallClock: @escaping @Sendable () -> Int64 = HostClock.seconds,
        dateClock: @escaping @Sendable () -> Int64 = HostClock.milliseconds
    ) throws(ProtectionError) -> ProtectedVolume {
        // Looked at before anything is made there, and again when nobody can come between.
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
                core: core, keybag: keybag, deviceKey: deviceKey, clock: clock,
                wallClock: wallClock, dateClock: dateClock, openingNotes: hostNotes(store))
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
        else {
            let isVolume = try KeybagFiles(folder: store.root).hasCiphertext()
            throw isVolume ? .ciphertextWithoutKeybag : .folderNotEmpty
        }
        let capabilities = try onHost { () throws(HostError) in try store.capabilities() }
        guard capabilities.blockByteCount % PageLayout.pageByteCount == 0 else {
            throw .smallBlocks(capabilities.blockByteCount)
        }
    }
}
