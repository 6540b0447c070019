import DataProtection
import TestSupport
import Testing

/// The stores on which the engine is tested.
enum RigStore: String, CaseIterable, Sendable {
    case memory, folder
}

/// A volume on a table: its store, device key and clock in the test's hands.
final class VolumeRig {
    /// What opens the volume.
    static let passcode = "correct horse"

    let store: any BackingStore
    let device: DeviceKey
    let clock = ManualClock()
    private(set) var volume: ProtectedVolume
    private let scratch: ScratchFolder?
    /// The mount, for tests of the Foundation-shaped calls that run on one.
    var door: FilesDoor?

    /// Makes a volume, unlocked.
    init(
        _ kind: RigStore = .memory, rules: RuleSet = .safer, cipher: VolumeCipher = .automatic,
        hasPrivateNames: Bool = false, delaysPasscodes: Bool = false,
        passcode: String? = VolumeRig.passcode, options: MemoryStore.Options = .init(),
        defaultClass: ProtectionClass = .completeUntilFirstUserAuthentication
    ) throws {
        scratch = kind == .folder ? try ScratchFolder() : nil
        store =
            try scratch.map { try FolderStore(path: $0.path) as any BackingStore }
            ?? MemoryStore(options)
        device = try DeviceKey.inMemory()
        volume = try ProtectedVolume.create(
            in: store,
            configuration: VolumeConfiguration(
                defaultClass: defaultClass, cipher: cipher, passcodeCost: .cheap, ruleSet: rules,
                hasPrivateNames: hasPrivateNames, delaysPasscodes: delaysPasscodes),
            passcode: try passcode.map { try Passcode($0) }, deviceKey: device, clock: clock)
    }

    /// The host folder, for a volume in one.
    var path: String { scratch!.path }

    /// Closes the volume and opens it again: before its first unlock.
    func reboot() throws {
        try volume.close()
        volume = try ProtectedVolume.open(store, deviceKey: device, clock: clock)
    }

    /// Unlocks with the passcode.
    func unlock() throws { try volume.unlock(passcode: Passcode(Self.passcode)) }

    /// Closes, opens and unlocks.
    func reopen() throws {
        try reboot()
        try unlock()
    }

    /// Brings the volume, now unlocked, into a lock state.
    func enter(_ state: LockState) throws {
        switch state {
        case .unlocked: break
        case .grace: volume.lock(grace: .seconds(10))
        case .locked: volume.lock()
        case .beforeFirstUnlock: try reboot()
        }
        #expect(volume.lockState == state)
    }

    /// Ends a grace that runs, and waits for the lock.
    func passGrace() async {
        await clock.waitForSleepers(1)
        clock.advance(by: .seconds(10))
        while volume.lockState == .grace { await Task.yield() }
    }
}

extension KeyDerivationCost {
    /// As little as the format allows.
    static let cheap = KeyDerivationCost(passCount: 1, memoryByteCount: 8192)
}

/// What a call did, as the tests of refusals see it.
enum Outcome: Hashable, CustomStringConvertible {
    case done
    case refused(ProtectionError.Code)
    case other(String)

    /// Makes a call and sees what it does.
    init(_ call: () throws -> Void) {
        do {
            try call()
            self = .done
        } catch let error as ProtectionError {
            // "Sealed" is EPERM for C programs, and nothing else.
            let isConsistent = error.code != .sealed || error.errorNumber == 1
            self = isConsistent ? .refused(error.code) : .other("sealed as \(error.errorNumber)")
        } catch {
            self = .other("\(error)")
        }
    }

    static let sealed = Outcome.refused(.sealed)

    var description: String {
        switch self {
        case .done: "done"
        case .refused(let code): "refused as \(code)"
        case .other(let text): text
        }
    }
}

/// The kind of error that a call ends with; `nil` when it succeeds.
func refusal(_ call: () throws -> Void) -> ProtectionError.Code? {
    if case .refused(let code) = Outcome(call) { return code }
    return nil
}

/// Bytes that tell where they belong.
func pattern(_ count: Int, seed: UInt64 = 1) -> [UInt8] {
    var generator = SeededGenerator(seed: seed)
    return generator.bytes(count)
}
