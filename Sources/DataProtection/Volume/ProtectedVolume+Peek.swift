internal import Cryptography

extension ProtectedVolume {
    /// What is in a folder of a volume, read beside whoever has it open: the volume is not taken,
    /// nothing is written and nothing is repaired.
    ///
    /// For what may not get into anybody's way, such as completing a name that is being typed. The
    /// answer may be a moment old.
    ///
    /// - Parameters:
    ///   - folder: names from the top folder down, with `/` between.
    ///   - path: the volume's folder.
    ///   - deviceKey: the key it was made with.
    /// - Throws: `sealed` when names are private; else as `open(at:deviceKey:)` and `list(_:)`.
    package static func names(
        in folder: String, ofVolumeAt path: String, deviceKey: DeviceKey
    ) throws(ProtectionError) -> [FolderEntry] {
        let store = try existingStore(at: path)
        let keybag = Keybag(record: try KeybagFiles(folder: store.root).read().record)
        let root = try keybag.root(deviceKey: deviceKey)
        let keyring: Keyring
        do { keyring = try Keyring(keybag: keybag, root: root) } catch {
            throw ProtectionError(error)
        }
        let core = VolumeCore(
            store: store, keyring: keyring, record: keybag.record, accessRules: AccessRules(),
            session: try Session(store: store, keyring: keyring))
        let volume = ProtectedVolume(
            core: core, keybag: keybag, deviceKey: deviceKey, clock: ContinuousClock(),
            openingNotes: [])
        return try volume.list(folder)
    }
}
