import DataProtection
import SimulatedDevice
import Synchronization

/// The engine on a memory store, with what the explorer asks of a device, and no more.
final class EngineDevice: ExploredDevice {
    private struct State {
        var volume: ProtectedVolume
        var watcher: OperationHook?
    }

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
    private let state: Mutex<State>

    /// Makes a device that is unlocked.
    init() throws {
        origin = try Self.origin.get()
        store = MemoryStore(origin.image)
        let volume = try ProtectedVolume.open(store, deviceKey: origin.deviceKey)
        try volume.unlock(passcode: origin.passcode)
        state = Mutex(State(volume: volume))
    }

    var process: ProtectedVolume { state.withLock { $0.volume } }
    var isUnlocked: Bool { process.lockState == .unlocked }

    func happen(_ event: DeviceEvent) throws {
        switch event {
        case .lock: process.lock()
        case .unlock: try process.unlock(passcode: origin.passcode)
        case .kill: replace(try process.succeed())
        case .reboot:
            process.abandon()
            replace(try ProtectedVolume.open(store, deviceKey: origin.deviceKey))
        }
    }

    private func replace(_ volume: ProtectedVolume) {
        state.withLock { state in
            volume.operationHook = state.watcher
            state.volume = volume
        }
    }

    func wakeNextSleeper() -> Duration? { nil }

    func watchOperations(_ watcher: @escaping @Sendable (String) -> Void) {
        state.withLock { state in
            state.watcher = watcher
            state.volume.operationHook = watcher
        }
    }

    func shutDown() { process.abandon() }
}
