internal import Cryptography
internal import Synchronization

extension ProtectedFile {
    /// Sets an attribute of an open file, which may have no name yet.
    package func setUserAttribute(_ name: String, to value: [UInt8]) throws(ProtectionError) {
        let core = inode.core
        try core.requireOpen()
        let metadata = try core.keyring.metadata()
        try inode.state.withSharedLock { state throws(ProtectionError) in
            try SealedAttributes(host: state.file.userAttributes, core: core, metadata: metadata)
                .set(Array(name.utf8), to: value, .set)
        }
    }
}
