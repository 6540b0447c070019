internal import Cryptography
internal import Synchronization

extension Inode {
    /// Wraps the file key for another class. The content is not touched (Platform Security guide,
    /// *Data Protection in Apple devices*).
    ///
    /// - Throws: `sealed` when the present class cannot be opened, or the new one not be made, in
    ///   this lock state; the class is then unchanged.
    func setClass(_ protectionClass: ProtectionClass) throws(ProtectionError) {
        try state.withLock { state throws(ProtectionError) in
            try core.requireOpen()
            let present = state.header.protectionClass
            guard protectionClass != present else { return }
            // Even a handle that is open does not let a sealed class be lowered.
            try core.requireOpening(present)
            try core.requireChanging(to: protectionClass)
            try core.session.beginWriting(core.keyring)
            try state.requireKey(core)
            var changed = state.header
            changed.protectionClass = protectionClass
            switch state.key {
            case .some(let key): try core.keyring.wrap(key, into: &changed)
            case .none: preconditionFailure("requireKey comes first")
            }
            core.classChanges.add(1, ordering: .acquiringAndReleasing)
            try state.replaceHeader(changed)
        }
    }
}
