public import DataProtection
internal import Foundation
internal import Synchronization

/// A phone for tests: it boots, locks, loses power and kills your app, on a clock that you move.
///
/// The files are those of a real volume, the engine and format of `ProtectedVolume` over a disk in
/// memory, so a test sees what an app on a locked phone sees:
///
///     let device = try SimulatedDevice()
///     try device.volume.write(Array("hello".utf8), to: "note.txt", class: .complete)
///     device.lock()
///     device.advance(by: .seconds(10))  // Apple's grace is over
///     // device.volume.read("note.txt") throws .sealed
///     try device.reboot()  // before first unlock
///     try device.unlock(passcode: "1234")
///     // and now it can be read
///
/// Files follow the rules `apple`; a new one is `completeUntilFirstUserAuthentication` unless its
/// folder or its maker says otherwise. The app is your test: what it holds of a life of the app
/// (`volume`, `files`, open files) answers `closed` after that life.
///
/// Nothing here waits for real time, and nothing is left on the host. Every call can be made from
/// any thread; they come one after the other.
public final class SimulatedDevice: Sendable {
    /// The clock of the device and, if you give it to them, of the things under test.
    public let clock: SimulatedClock
    /// How the device was made.
    public let options: Options

    /// What there is of the device at one time.
    enum Power {
        /// On, with the disk and the volume of the app's present life.
        case on(CrashingStore, ProtectedVolume)
        /// Off, with what the disk holds.
        case off(MemoryImage)
        /// Erased, for good.
        case erased
    }

    struct State {
        var power: Power
        /// When the grace ends, and how the volume names it; `nil` when the app itself began it.
        var graceEnd: (deadline: SimulatedClock.Instant, grace: Int?)?
        /// When the device, unless it is unlocked before, boots again by itself.
        var idleEnd: SimulatedClock.Instant?
        /// The device's own ear in the volume.
        var observation: LockObservation?
        var watchers: [(number: Int, handler: @Sendable (LockEvent) -> Void)] = []
        var nextWatcher = 0
        /// Ends the sequences that end with the device.
        var endings: [@Sendable () -> Void] = []
    }

    let host: DeviceHost
    let deviceKey: DeviceKey
    let state: Mutex<State>
    /// One change of the device at a time. An observer that is told of one may make the next.
    let turn = NSRecursiveLock()

    /// A new device: set up, booted and unlocked, with an empty container.
    ///
    /// - Parameter options: how it is set up.
    /// - Throws: `invalidArgument` for a passcode that is empty or longer than 1024 bytes,
    ///   `keyMemory`, `noSpace` for a disk that is too small.
    public init(_ options: Options = Options()) throws(ProtectionError) {
        self.options = options
        let clock = SimulatedClock()
        let host = DeviceHost(
            clock, startTime: options.startTime, byteLimit: options.diskByteLimit)
        let deviceKey = try DeviceKey.inMemory()
        let store = CrashingStore(options: host.storeOptions)
        // Nothing ever locks without a passcode: that is how the Simulator is.
        let passcode = options.enforcesDataProtection ? options.passcode : nil
        let volume = try ProtectedVolume.create(
            in: store, configuration: Self.configuration,
            passcode: try passcode.map { text throws(ProtectionError) in try Passcode(text) },
            deviceKey: deviceKey, accessRules: options.accessRules, clock: clock,
            wallClock: { host.enclaveSeconds },
            dateClock: { host.dateMilliseconds })
        self.clock = clock
        self.host = host
        self.deviceKey = deviceKey
        state = Mutex(State(power: .on(store, volume)))
        listen(to: volume)
    }

    deinit {
        for end in state.withLock({ $0.endings }) { end() }
    }

    /// As an Apple device is set up; trying a passcode costs nearly nothing.
    private static let configuration = VolumeConfiguration(
        defaultClass: .completeUntilFirstUserAuthentication,
        passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192), ruleSet: .apple,
        delaysPasscodes: true)

    /// The app's files, for the app's present life. Leave it open: a device closes it.
    ///
    /// - Throws: `closed` while the device is off, or when it was erased.
    public var volume: ProtectedVolume {
        get throws(ProtectionError) {
            switch state.withLock({ $0.power }) {
            case .on(_, let volume): return volume
            case .off: throw .deviceOff
            case .erased: throw .deviceErased
            }
        }
    }

    /// The app's files in the shape of Foundation's `FileManager`, for the app's present life.
    ///
    /// - Throws: as `volume`.
    public var files: ProtectedFileManager {
        get throws(ProtectionError) { try volume.files }
    }

    /// The lock state; `nil` while the device is off, and when it was erased.
    public var lockState: LockState? { (try? volume)?.lockState }

    /// Whether data of class `complete` can be used; `false` while the device is off.
    public var isProtectedDataAvailable: Bool { lockState?.isProtectedDataAvailable ?? false }

    /// Whether ten wrong passcodes have erased the device.
    public var isErased: Bool {
        if case .erased = state.withLock({ $0.power }) { return true }
        return false
    }
}
