internal import Synchronization

/// The records of the volume itself.
extension Verification {
    /// Both copies of the keybag.
    mutating func verifyKeybag() throws(ProtectionError) {
        let files = KeybagFiles(folder: volume.core.store.root)
        let record = volume.keybag.withLock { $0.record }
        let fault: String
        do throws(ProtectionError) {
            let found = try files.read()
            if found.record != record {
                fault = "both copies of the keybag are not the one that the volume was opened with"
            } else if let other = found.fault {
                fault = other
            } else {
                return
            }
        } catch {
            fault = error.message
        }
        tell(
            ReservedName.keybags.first { fault.hasPrefix($0) } ?? ReservedName.keybags[0],
            isRepair
                ? renewKeybag(files, fault)
                : Verdict(.damaged(fault), "write both copies anew: seal verify --repair"))
    }

    /// Writes both copies anew, as the volume was opened with them.
    private func renewKeybag(_ files: KeybagFiles, _ fault: String) -> Verdict {
        do throws(ProtectionError) {
            try volume.keybag.withLock { keybag throws(ProtectionError) in
                guard !volume.isErased.load(ordering: .acquiring) else { throw .closed }
                try files.write(keybag.record)
            }
            return Verdict(.renewed("\(fault); both copies were written anew"))
        } catch {
            return Verdict(
                .damaged("\(fault); they cannot be written anew: \(error.message)"), error.remedy)
        }
    }

    /// The marker, which tells a crash from a cut.
    mutating func verifyMarker() throws(ProtectionError) {
        guard let fault = try volume.core.session.presentFault(volume.core.keyring) else { return }
        guard isRepair else {
            return tell(
                ReservedName.marker,
                Verdict(.damaged(fault), "write it anew: seal verify --repair"))
        }
        try volume.core.session.beginWriting(volume.core.keyring)
        tell(ReservedName.marker, Verdict(.renewed("\(fault); it was written anew")))
    }
}
