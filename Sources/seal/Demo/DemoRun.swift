package import DataProtection

/// One run of the demonstration: a real volume that is made, booted, unlocked and locked.
package struct DemoRun {
    /// What happened, in the order boot, unlock, lock.
    package private(set) var rows: [DemoRow] = []
    /// The class of new files where nothing else is said.
    package let defaultClass: ProtectionClass

    /// The passcode of a demonstration volume.
    static let passcode = "1234"

    /// Makes a volume, tries everything in it in all three states, and closes it.
    ///
    /// - Parameters:
    ///   - path: where the volume is made.
    ///   - deviceKeyPath: where its device key is made.
    ///   - accessRules: which class can be used in which state.
    ///   - boot: tries everything before the first unlock. The program does that in a new process.
    package init(
        at path: String, deviceKeyPath: String, accessRules: AccessRules,
        boot: (DemoPlace) throws -> [DemoRow]
    ) throws {
        let place = DemoPlace(volumePath: path, deviceKeyPath: deviceKeyPath)
        let passcode = try Passcode(Self.passcode)
        defaultClass = try place.make(passcode: passcode, accessRules: accessRules)
        rows = try boot(place)
        let volume = try place.open(accessRules: accessRules)
        defer { try? volume.close() }
        try volume.unlock(passcode: passcode)
        let handles = try DemoTrial.openHandles(volume)
        rows += DemoTrial(volume, handles: handles).rows()
        volume.lock()
        rows += DemoTrial(volume, handles: handles).rows()
        try volume.close()
    }

    /// The result of an operation.
    func result(
        _ protectionClass: ProtectionClass, _ state: LockState, _ operation: DemoOperation
    ) -> String {
        let row = rows.first {
            $0.protectionClass == protectionClass && $0.state == state && $0.operation == operation
        }
        return row?.result ?? "?"
    }
}

/// Where a demonstration's volume and device key are.
package struct DemoPlace: Sendable {
    /// The volume's folder.
    package let volumePath: String
    /// The device key.
    package let deviceKeyPath: String

    /// Names the places.
    package init(volumePath: String, deviceKeyPath: String) {
        self.volumePath = volumePath
        self.deviceKeyPath = deviceKeyPath
    }

    /// Makes the volume and its files, and closes it.
    func make(passcode: Passcode, accessRules: AccessRules) throws -> ProtectionClass {
        try FolderStore.makeFolders(volumePath)
        let volume = try ProtectedVolume.create(
            in: try FolderStore(path: volumePath),
            configuration: VolumeConfiguration(passcodeCost: .interactive), passcode: passcode,
            deviceKey: try DeviceKey.loadOrCreate(at: deviceKeyPath), accessRules: accessRules)
        defer { try? volume.close() }
        try DemoTrial.makeFiles(in: volume)
        try volume.close()
        return volume.defaultClass
    }

    /// Opens the volume; it is then before its first unlock.
    func open(accessRules: AccessRules) throws -> ProtectedVolume {
        try ProtectedVolume.open(
            try FolderStore(path: volumePath),
            deviceKey: try DeviceKey.load(from: deviceKeyPath), accessRules: accessRules)
    }

    /// Opens the volume without the passcode and tries everything.
    package func tryBeforeFirstUnlock(accessRules: AccessRules) throws -> [DemoRow] {
        let volume = try open(accessRules: accessRules)
        defer { try? volume.close() }
        let rows = DemoTrial(volume).rows()
        try volume.close()
        return rows
    }
}
