internal import Cryptography
internal import Synchronization

/// One open file of the volume: its header, key, size, and the lock over its pages.
///
/// The lock covers the host call, so that a read never meets half of a page that is being written;
/// reads go side by side.
/// Nothing is kept dirty: each write is sealed and handed to the host before it returns.
final class Inode: Sendable {
    /// Which host file it is.
    let identity: HostIdentity
    /// The volume's parts.
    let core: VolumeCore
    /// What a crash had left of the file, in words, and was put in order when it was opened; `nil`
    /// when nothing was.
    let repair: String?
    /// Everything that changes; see `State`.
    let state: SharedMutex<State>

    /// What the lock guards.
    struct State: ~Copyable, Sendable {
        /// The host file.
        let file: any BackingFile
        /// The header, and the same as stored.
        var header: FileHeader
        var headerBytes: [UInt8]
        /// The file's key while this lock state may hold it.
        var key: SecretKey?
        /// The file's size, in bytes.
        var size: Int64
        /// Pages that were opened or sealed last; `nil` for a file that need not remember any.
        var memory: PageMemory?
        /// Whether the last handle is gone.
        var isRetired = false

        init(file: any BackingFile, header: FileHeader, key: consuming SecretKey?, size: Int64) {
            self.file = file
            self.header = header
            headerBytes = header.bytes
            self.key = key
            self.size = size
        }
    }

    init(
        identity: HostIdentity, core: VolumeCore, state: consuming State, repair: String? = nil
    ) {
        self.identity = identity
        self.repair = repair
        self.core = core
        self.state = SharedMutex(state)
    }

    /// The class as it is now.
    var protectionClass: ProtectionClass {
        state.withSharedLock { $0.header.protectionClass }
    }

    /// Wipes the key of a `complete` file; waits for the read or write that is using it.
    func wipeAtLock(_ rules: AccessRules) {
        state.withLock { state in
            if !rules.allowsUsingHandle(of: state.header.protectionClass, in: .locked) {
                state.wipe()
            }
        }
    }

    /// Wipes the key; it is unwrapped again at the next use, if the state then allows it.
    func forgetKey() { state.withLock { $0.wipe() } }

    /// Has the file remember the pages that were used last, for a reader that keeps pages himself.
    func rememberPages() {
        state.withLock { state in
            if state.memory == nil { state.memory = PageMemory() }
        }
    }

    /// Wipes the key for good, after the last handle is gone: a read or write that comes late must
    /// not bring a key back that no lock would find.
    func retire() {
        state.withLock { state in
            state.wipe()
            state.isRetired = true
        }
    }

    /// Makes the content durable. Writers wait meanwhile, so that no page changes under the device.
    func sync(everything: Bool) throws(ProtectionError) {
        try state.withSharedLock { state throws(ProtectionError) in
            try core.requireOpen()
            do throws(HostError) {
                try state.file.sync(everything: everything)
            } catch {
                throw ProtectionError(error)
            }
        }
    }
}

extension Inode.State {
    /// Wipes the key, and what it has opened.
    mutating func wipe() {
        key = nil
        memory?.forgetAll()
    }

    /// Makes sure that the key is here, unwrapping it if an earlier lock took it.
    mutating func requireKey(_ core: VolumeCore) throws(ProtectionError) {
        guard !isRetired else { throw .closed }
        if !key.isPresent { key = try core.keyring.unwrap(header) }
    }

    /// Sets a workspace up for this file.
    func prepare(_ workspace: inout Workspace) throws(ProtectionError) {
        if workspace.keyedFile == header.fileIdentifier { return }
        workspace.keyedFile = []
        switch key {
        case .some(let key):
            do throws(CryptographyError) {
                try workspace.context.setKey(key)
            } catch {
                throw ProtectionError(error)
            }
        case .none:
            preconditionFailure("requireKey comes first")
        }
        workspace.associatedData = PageCodec.associatedData(
            volumeIdentifier: header.volumeIdentifier, fileIdentifier: header.fileIdentifier)
        workspace.keyedFile = header.fileIdentifier
    }

    /// The cipher of this file's pages.
    var algorithm: AEADAlgorithm {
        AEADAlgorithm(rawValue: header.cipher)!  // checked when the header was read
    }
}

extension Optional where Wrapped: ~Copyable {
    /// Whether there is a value; asking does not take it.
    var isPresent: Bool {
        switch self {
        case .some: true
        case .none: false
        }
    }
}
