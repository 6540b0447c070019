internal import Cryptography
internal import Synchronization

/// An encrypted volume in a folder, with a protection class for every file.
///
///     let device = try DeviceKey.loadOrCreate(at: "device.key")
///     let volume = try ProtectedVolume.create(
///         at: "vault", passcode: Passcode("1234"), deviceKey: device)
///     try volume.write(Array("hello".utf8), to: "note.txt", class: .complete)
///     volume.lock()
///     // volume.read("note.txt") throws .sealed until volume.unlock(passcode:)
///
/// A volume that was opened is *before first unlock*. All methods can be called from any thread.
/// One process owns a volume at a time; the ownership ends with `close()` or with the process.
public final class ProtectedVolume: Sendable {
    let core: VolumeCore
    let deviceKey: DeviceKey?
    let namespace = Mutex(Namespace())
    let lockProgress = Mutex(LockProgress())
    let keybag: Mutex<Keybag>
    /// Whether the keybag was destroyed.
    let isErased = Atomic(false)
    let clock: any Clock<Duration>
    /// The time for delays after wrong passcodes, in seconds since 1970.
    let wallClock: @Sendable () -> Int64
    /// The date that a person can set, in milliseconds since 1970.
    let dateClock: @Sendable () -> Int64
    /// One passcode is tried at a time, or guesses side by side would count as one.
    let passcodeTries = Mutex(())
    /// Tells what this session makes for a while from what an earlier one left behind.
    let sessionName = Base64URL.encode(SecureRandom.bytes(9))

    /// What was found to be wrong with the volume when it was opened, in words: a damaged copy of
    /// the keybag (repaired by now), a missing marker. Empty when nothing was.
    public let openingNotes: [String]

    init(
        core: VolumeCore, keybag: Keybag, deviceKey: DeviceKey?, clock: any Clock<Duration>,
        wallClock: @escaping @Sendable () -> Int64 = HostClock.seconds,
        dateClock: @escaping @Sendable () -> Int64 = HostClock.milliseconds,
        openingNotes: [String]
    ) {
        self.core = core
        self.keybag = Mutex(keybag)
        self.deviceKey = deviceKey
        self.clock = clock
        self.wallClock = wallClock
        self.dateClock = dateClock
        self.openingNotes = openingNotes
    }

    deinit { try? close() }

    /// Makes everything durable, marks the volume clean, wipes all keys and gives up the ownership.
    ///
    /// Files that are still open stop working. Calling it again does nothing.
    /// - Throws: `host`, `noSpace`; keys and ownership are gone even then, and the volume counts as
    ///   not cleanly closed.
    public func close() throws(ProtectionError) {
        guard stop(keepsKeys: false) else { return }
        defer { leave() }
        try core.session.finish(core.keyring)
    }

    /// Runs an operation under the namespace lock.
    func withNames<Result>(
        _ operation: String = #function,
        _ body: (inout Namespace, MetadataKeys) throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result {
        core.seam.begin(operation)
        try core.requireOpen()
        let metadata = try core.keyring.metadata()
        return try namespace.withLock { namespace throws(ProtectionError) in
            try core.requireOpen()
            return try body(&namespace, metadata)
        }
    }
}

// MARK: - What the volume is

extension ProtectedVolume {
    /// Names the volume: 32 hexadecimal digits.
    public var identifier: String {
        core.keyring.volumeIdentifier.map {
            let digits = String($0, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined()
    }

    /// The class of new files where no folder says otherwise.
    public var defaultClass: ProtectionClass { core.defaultClass }

    /// Whether classes are recorded, and can be told; not on a simulated device without Data
    /// Protection.
    package var recordsClasses: Bool { core.accessRules.tellsClasses }

    /// How classes survive the habits of programs.
    public var ruleSet: RuleSet { core.ruleSet }

    /// Which names belong to a file beside them, for the rules `safer`. Another list holds until
    /// the volume is closed.
    public var companionNames: CompanionNames {
        get { core.companionNames.withLock { $0 } }
        set { core.companionNames.withLock { $0 = newValue } }
    }

    /// Whether nothing can be listed before the first unlock.
    public var hasPrivateNames: Bool { keybag.withLock { $0.record.hasPrivateNames } }

    /// Whether a passcode opens it. Without one it never locks.
    public var hasPasscode: Bool { keybag.withLock { $0.hasPasscode } }

    /// Whether a recovery key opens it.
    public var hasRecoveryKey: Bool { keybag.withLock { $0.hasRecoveryKey } }

    /// Whether an earlier session ended without closing; then missing ends of files count as a
    /// crash's.
    public var wasUnclean: Bool { core.session.isUnclean }

    /// The cipher of new files.
    public var cipher: VolumeCipher { core.keyring.algorithm == .xaes256GCM ? .aes : .chacha }
}
