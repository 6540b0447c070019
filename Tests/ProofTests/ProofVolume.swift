import DataProtection
import SimulatedDevice

/// Volumes that cost little to make: one image, made once, and a cheap passcode.
enum ProofVolume {
    /// A cost that makes no attacker sweat.
    static let cost = KeyDerivationCost(passCount: 1, memoryByteCount: 8192)

    /// An empty volume that the device key alone opens, and its device key.
    static let open = make(passcode: nil)
    /// An empty volume with the passcode `old`.
    static let locked = make(passcode: "old")

    /// A volume's host files, and the device key that opens them.
    struct Made: Sendable {
        var image: MemoryImage
        var deviceKey: DeviceKey
    }

    private static func make(passcode: String?) -> Made {
        do {
            let deviceKey = try DeviceKey.inMemory()
            let store = MemoryStore()
            let volume = try ProtectedVolume.create(
                in: store, configuration: VolumeConfiguration(passcodeCost: cost),
                passcode: try passcode.map { text throws(ProtectionError) in try Passcode(text) },
                deviceKey: deviceKey)
            try volume.close()
            return Made(image: store.image(), deviceKey: deviceKey)
        } catch {
            fatalError("A volume in memory can be made: \(error)")
        }
    }
}
