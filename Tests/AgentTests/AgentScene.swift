import AgentControl
import DataProtection
import Foundation
import ProtectionAgent
import SessionLock
import Synchronization
import TestSupport

/// A mount of which tests say what it does.
final class StandInDoor: MountDoor {
    let isBusy = Mutex(false)
    let holders = Mutex<[SealedFileHolder]>([])
    let wasForced = Mutex<Bool?>(nil)
    private let end = AsyncStream<Void>.makeStream()

    func waitUntilUnmounted() async { for await _ in end.stream {} }

    func unmount(force: Bool) throws(ProtectionError) {
        if isBusy.withLock({ $0 }), !force { throw ProtectionError.busy(owner: nil) }
        wasForced.withLock { $0 = force }
        end.continuation.finish()
    }

    func sealedFileHolders() -> [SealedFileHolder] { holders.withLock { $0 } }
}

/// An agent in this process, with a volume of its own and a socket in a scratch folder.
struct AgentScene {
    static let passcode = "correct horse"
    let scratch: ScratchFolder
    let volume: ProtectedVolume
    let door = StandInDoor()
    let agent: Agent
    let place: AgentFolder
    let server: ControlServer

    init(
        graceSeconds: Int = 10, idleMinutes: Int? = nil, delaysPasscodes: Bool = false
    ) throws {
        scratch = try ScratchFolder()
        var configuration = VolumeConfiguration(delaysPasscodes: delaysPasscodes)
        configuration.passcodeCost = KeyDerivationCost(passCount: 1, memoryByteCount: 8192)
        volume = try ProtectedVolume.create(
            at: scratch.path + "/vault", configuration: configuration,
            passcode: Passcode(Self.passcode),
            deviceKey: DeviceKey.loadOrCreate(at: scratch.path + "/device.key"))
        var launch = AgentLaunch(
            volume: scratch.path + "/vault", folder: scratch.path + "/mount", deviceKey: "")
        launch.graceSeconds = graceSeconds
        launch.idleMinutes = idleMinutes
        agent = Agent(volume, door: door, launch: launch)
        place = AgentFolder(path: scratch.path + "/seal")
        server = try ControlServer(agent, in: place)
    }

    /// What a program sees.
    func mounted() throws -> MountedVolume {
        try MountedVolume.find(scratch.path + "/mount/letters/a.txt", in: place)
    }
}
