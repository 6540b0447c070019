public import DataProtection
internal import Foundation
internal import Synchronization

/// Power, and the life of the app.
extension SimulatedDevice {
    /// Starts a device that is off, and the app on it. It is then before its first unlock; without
    /// a passcode it is unlocked.
    ///
    /// - Throws: `invalidArgument` when it is on, `closed` when it was erased, and what a broken
    ///   disk brings: it is off then.
    public func boot() throws(ProtectionError) {
        turn.lock()
        defer { turn.unlock() }
        let image: MemoryImage
        switch state.withLock({ $0.power }) {
        case .on: throw .deviceOn
        case .off(let found): image = found
        case .erased: throw .deviceErased
        }
        let store = CrashingStore(image, options: host.storeOptions)
        let volume = try open(store)
        // A restart does not shorten a delay.
        try volume.restartPasscodeDelay()
        begin(store, volume)
    }

    /// Switches the device off; everything that was written is on its disk.
    ///
    /// - Throws: `closed` when it is off already, `host` when the disk fails: it is off then, too.
    public func shutDown() throws(ProtectionError) {
        turn.lock()
        defer { turn.unlock() }
        let (store, volume) = try running()
        let wasAvailable = volume.isProtectedDataAvailable
        defer { switchOff(store.live.image(), wasAvailable: wasAvailable) }
        try volume.close()
    }

    /// Switches the device off and on again: it is then before its first unlock, and nobody was
    /// told that it would be.
    ///
    /// - Throws: as `shutDown()` and `boot()`; it is off then.
    public func reboot() throws(ProtectionError) {
        turn.lock()
        defer { turn.unlock() }
        try shutDown()
        try boot()
    }

    /// Kills the app's process, as `kill -9` does, and starts it again.
    ///
    /// What was written stays, synchronised or not, and the lock state stays, also a grace that
    /// runs: the keys are the system's. Open files of the earlier life answer `closed`. An app
    /// that had closed its volume, as no app of a phone can, finds it before its first unlock.
    ///
    /// - Throws: `closed` when the device is off, `host` when the disk fails: it is off then.
    public func killApp() throws(ProtectionError) {
        turn.lock()
        defer { turn.unlock() }
        let (store, volume) = try running()
        let wasAvailable = volume.isProtectedDataAvailable
        do throws(ProtectionError) {
            let next: ProtectedVolume
            do throws(ProtectionError) {
                next = try volume.succeed()
            } catch  where error.code == .closed {
                next = try open(store)
            }
            begin(store, next)
        } catch {
            switchOff(store.live.image(), wasAvailable: wasAvailable)
            throw error
        }
    }

    /// Takes the power away. What was synchronised is on the disk; of everything else, what the
    /// seed decides, each page of a file for itself. The device is off then.
    ///
    /// - Parameter seed: the same one after the same calls leaves the same disk.
    /// - Throws: `closed` when it is off already.
    public func cutPower(seed: UInt64) throws(ProtectionError) {
        try cutPower(.random(seed: seed))
    }

    /// Cuts the power, with one of the disks that this could leave.
    func cutPower(_ outcome: CutOutcome) throws(ProtectionError) {
        turn.lock()
        defer { turn.unlock() }
        let (store, volume) = try running()
        let wasAvailable = volume.isProtectedDataAvailable
        volume.abandon()
        switchOff(store.cut(outcome).image(), wasAvailable: wasAvailable)
    }

    /// The disk and the volume of a device that is on.
    func running() throws(ProtectionError) -> (CrashingStore, ProtectedVolume) {
        switch state.withLock({ $0.power }) {
        case .on(let store, let volume): return (store, volume)
        case .off: throw .deviceOff
        case .erased: throw .deviceErased
        }
    }

    private func open(_ store: CrashingStore) throws(ProtectionError) -> ProtectedVolume {
        try ProtectedVolume.open(
            store, deviceKey: deviceKey, accessRules: options.accessRules, clock: clock,
            wallClock: { [host] in host.enclaveSeconds },
            dateClock: { [host] in host.dateMilliseconds })
    }

    /// Begins a life of the app.
    private func begin(_ store: CrashingStore, _ volume: ProtectedVolume) {
        let now = clock.now
        state.withLock { state in
            state.power = .on(store, volume)
            switch volume.lockState {
            case .beforeFirstUnlock, .unlocked:
                state.graceEnd = nil
                state.idleEnd = nil
            case .grace:
                // A grace that the app began died with it; the system goes on with its own.
                state.graceEnd = state.graceEnd ?? (now.advanced(by: options.grace), nil)
            case .locked: break
            }
        }
        listen(to: volume)
    }

    private func switchOff(_ image: MemoryImage, wasAvailable: Bool) {
        state.withLock { state in
            state.power = .off(image)
            state.observation = nil
            state.graceEnd = nil
            state.idleEnd = nil
        }
        if wasAvailable { tell(.didBecomeUnavailable) }
    }
}
