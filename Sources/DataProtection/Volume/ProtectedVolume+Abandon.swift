internal import Cryptography
internal import Synchronization

/// How a volume ends: by `close()`, or as when its process is killed.
extension ProtectedVolume {
    /// Refuses every further operation and forgets the keys of open files.
    ///
    /// - Parameter keepsKeys: whether the class keys stay, for a successor.
    /// - Returns: whether the volume was open until now.
    func stop(keepsKeys: Bool) -> Bool {
        guard core.isOpen.exchange(false, ordering: .acquiringAndReleasing) else { return false }
        // Each of these waits for the operation that is using a key; the next one finds it closed.
        keybag.withLock { _ in }
        namespace.withLock { $0.forgetFolders() }
        if !keepsKeys { lockProgress.withLock { _ in core.keyring.wipe() } }
        for inode in core.inodes.all { inode.forgetKey() }
        core.workspaces.wipe()
        return true
    }

    /// Gives up the ownership and ends the sequences.
    func leave() {
        core.store.releaseOwnership()
        endLockEvents()
    }

    /// Leaves what `kill -9` of the owning process leaves: nothing more is synced, and the volume
    /// counts as not cleanly closed if something was written.
    ///
    /// Every further call says `closed`; keys, ownership and sequences are gone. An operation of
    /// another thread that is under way is finished first. Calling it again does nothing.
    package func abandon() {
        guard stop(keepsKeys: false) else { return }
        leave()
    }

    /// Ends this volume as `abandon()` does, and opens it as the next process finds it on a system
    /// that keeps the keys for its processes: the lock state stays, with a grace that runs.
    ///
    /// - Returns: the volume of the next process, with the same operation hook.
    /// - Throws: as `open(at:deviceKey:)`; the keys are gone then, too.
    package func succeed() throws(ProtectionError) -> ProtectedVolume {
        guard stop(keepsKeys: true) else { throw .closed }
        let generation = lockProgress.withLock { $0.generation }
        leave()
        var successor: ProtectedVolume?
        defer { if successor == nil { core.keyring.wipe() } }
        try Self.own(core.store)
        do {
            let found = try KeybagFiles(folder: core.store.root).read()
            let volume = ProtectedVolume(
                core: VolumeCore(
                    store: core.store, keyring: core.keyring, record: found.record,
                    accessRules: core.accessRules,
                    session: try Session(store: core.store, keyring: core.keyring)),
                keybag: Keybag(record: found.record), deviceKey: deviceKey, clock: clock,
                wallClock: wallClock, dateClock: dateClock, openingNotes: openingNotes)
            volume.lockProgress.withLock { $0.generation = generation }
            volume.sweepTemporaryItems()
            volume.operationHook = operationHook
            successor = volume
            return volume
        } catch {
            core.store.releaseOwnership()
            throw error
        }
    }
}
