import DataProtection
import SimulatedDevice
import Synchronization

/// The engine on a memory store, with what the explorer asks of a device, and no more.
final class EngineDevice: ExploredDevice {
    /// A volume that every device begins with: making one costs more than opening it.
    private struct Origin: Sendable {
        let image: MemoryImage
        let deviceKey: DeviceKey
        let passcode: Passcode

        init() throws {
            deviceKey = try DeviceKey.inMemory()
            passcode = try Passcode("correct horse")
            let store = MemoryStore()
            let configuration = VolumeConfiguration(
                passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192))
            try ProtectedVolume.create(
                in: store, configuration: configuration, passcode: passcode, deviceKey: deviceKey
            ).close()
            image = store.image()
        }
    }

    private static let origin = Result { try Origin() }

    private let origin: Origin
    private let store: MemoryStore
    private let current: Mutex<ProtectedVolume>

    /// Makes a device that is unlocked.
    init() throws {
        origin = try Self.origin.get()
        store = MemoryStore(origin.image)
        let volume = try ProtectedVolume.open(store, deviceKey: origin.deviceKey)
        try volume.unlock(passcode: origin.passcode)
        current = Mutex(volume)
    }

    var volume: ProtectedVolume { current.withLock { $0 } }
    var isUnlocked: Bool { volume.lockState == .unlocked }

    func process() -> ProtectedVolume { volume }

    func happen(_ event: DeviceEvent) throws {
        switch event {
        case .lock: volume.lock()
        case .unlock: try volume.unlock(passcode: origin.passcode)
        case .kill: replace(try volume.succeed())
        case .reboot, .powerCut:
            volume.abandon()
            replace(try ProtectedVolume.open(store, deviceKey: origin.deviceKey))
        }
    }

    private func replace(_ volume: ProtectedVolume) { current.withLock { $0 = volume } }

    func wakeNextSleeper() -> Duration? { nil }

    func watchOperations(_ watcher: @escaping @Sendable (String) -> Void) {
        // The function's name says enough, without its parameters.
        volume.operationHook = { name in watcher(String(name.prefix { $0 != "(" })) }
    }

    func endRun() { volume.abandon() }
}
