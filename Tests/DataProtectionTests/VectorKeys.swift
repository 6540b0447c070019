import Cryptography
import DataProtection
import TestSupport
import Testing

/// The keys of the volume that a vector names, in its lock state.
struct VectorKeys {
    let keybag: Keybag
    let keyring: Keyring
    let device: DeviceKey
    private let vector: Vector

    static let passcode = "vector"

    init(_ vector: Vector) throws {
        self.vector = vector
        device = try DeviceKey.inMemory()
        let cipher = vector.text("cipher").flatMap { UInt8($0) } ?? 1
        var record = KeybagRecord(
            volumeIdentifier: try vector.bytes("volume-id"), cipher: cipher, ruleSet: .safer,
            defaultClass: .none, hasPrivateNames: vector.text("private-names") == "true",
            delaysPasscodes: false, deviceIdentifier: device.identifier,
            publicKey: [UInt8](repeating: 0, count: 32))
        let secret = try vector.key("keybag-secret")
        let root = try vector.key("volume-root")
        let bare = Keybag(record: record)
        let agreement = try bare.derive(secret, "class completeUnlessOpen")
        record.publicKey = try KeyAgreement.publicKey(of: agreement)
        let under = try bare.derive(secret, "volume root keybag")
        record.rootUnderKeybag = try KeyWrap.wrap(
            root, under: under, algorithm: bare.algorithm,
            authenticating: FormatLabel.bytes("volume root keybag") + record.volumeIdentifier)
        var keybag = Keybag(record: record)
        let secrets = VolumeSecrets(root: root, secret: secret)
        try keybag.bindRoot(secrets, to: device)
        try keybag.setPasscode(
            Passcode(Self.passcode), cost: KeyDerivationCost.cheap.cost, secret: secrets.secret,
            deviceKey: device)
        keyring = try Keyring(keybag: keybag, root: secrets.root)
        try keybag.sign(key: keyring.keybagKey)
        self.keybag = keybag
        guard vector.text("lock-state") != "before-first-unlock" else { return }
        try keyring.unlock(keybag: keybag, secret: secrets.secret)
        guard vector.text("lock-state") == "locked" else { return }
        #expect(keyring.beginGrace() && keyring.lock())
    }

    /// A whole volume whose one file is the vector's bytes.
    func volume() throws -> ProtectedVolume {
        let store = MemoryStore()
        let identifier = keybag.record.volumeIdentifier
        // The metadata root of docs/format.md 2.
        let root = try vector.key(
            keybag.record.hasPrivateNames ? "keybag-secret" : "volume-root")
        let metadata = try MetadataKeys(keybag: keybag, root: root)
        let folder = FolderRecord(
            childClass: ProtectionClass(rawValue: UInt8(try vector.number("folder-class"))),
            identifier: [UInt8](repeating: 7, count: 16))
        try store.root.makeSymlink(
            ReservedName.folder,
            target: folder.target(volumeIdentifier: identifier, key: metadata.folderKey))
        let marker = MarkerRecord(
            isClean: vector.text("marker") == "clean", volumeIdentifier: identifier, session: 1,
            time: 1)
        try store.root.writeDurably(
            marker.bytes(key: keyring.markerKey), as: ReservedName.marker)
        let context = FormatLabel.bytes("name") + identifier + folder.identifier
        let name = Array("f".utf8)
        let sealed = try metadata.names.seal(name.span, authenticating: context.span)
        let file = try store.root.createFile(EntryName(sealed: sealed).hostName, mode: 0o600)
        try file.write(vector.bytes)
        if let hint = vector.text("hint") {
            try file.userAttributes.set("user.seal.class", to: Array(hint.utf8), rule: .set)
        }
        try KeybagFiles(folder: store.root).write(keybag.record)
        let volume = try ProtectedVolume.open(store, deviceKey: device)
        guard vector.text("lock-state") != "before-first-unlock" else { return volume }
        try volume.unlock(passcode: Passcode(Self.passcode))
        if vector.text("lock-state") == "locked" { volume.lock() }
        return volume
    }
}
