internal import Synchronization

/// The policy as it was read last, with what tells whether the file is still that one.
struct PolicyCache: Sendable {
    /// The host file and when it changed.
    struct Stamp: Equatable, Sendable {
        let identity: HostIdentity
        let byteCount: Int64
        let modificationTime: HostTime
        let changeTime: HostTime

        init(_ host: HostAttributes) {
            identity = host.identity
            byteCount = host.byteCount
            modificationTime = host.modificationTime
            changeTime = host.changeTime
        }
    }

    /// What was found.
    enum Found: Sendable {
        case policy(ProtectionPolicy)
        case unusable(ProtectionError)
    }

    var stamp: Stamp?
    var found: Found?
}

extension ProtectedVolume {
    /// Judges a request for a class by the volume's policy.
    ///
    /// - Throws: `forbidden` for a class that is too weak; `damaged`, `newerFormat` for a policy
    ///   that cannot be used: nothing is made then that it might not allow, but for the policy.
    func judge(
        _ explicit: ProtectionClass?, at path: [[UInt8]], _ names: inout Namespace,
        _ metadata: MetadataKeys
    ) throws(ProtectionError) -> ProtectionPolicy.Judgement {
        // The top folder is of no kind, and needs no way through itself.
        guard !path.isEmpty, let found = try presentPolicy(&names, metadata) else {
            return .asAsked
        }
        // The file itself, and what editors put beside it, must not keep it from being mended.
        if path.count == 1, path[0].contains(ProtectionPolicy.path.utf8) { return .asAsked }
        switch found {
        case .unusable(let error): throw error
        case .policy(let policy):
            let state = core.keyring.state
            return try policy.judge(explicit, at: path) {
                core.accessRules.allowsCreating($0, in: state)
            }
        }
    }

    /// The class that something that is there gets when another class is asked for.
    ///
    /// - Throws: `forbidden` for a class that is too weak, as `judge`.
    func classByPolicy(
        _ asked: ProtectionClass, at path: [[UInt8]], _ names: inout Namespace,
        _ metadata: MetadataKeys
    ) throws(ProtectionError) -> ProtectionClass {
        guard case .raised(let other) = try judge(asked, at: path, &names, metadata) else {
            return asked
        }
        return other
    }

    /// The policy as it is now; read again only when its file has changed.
    private func presentPolicy(
        _ names: inout Namespace, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> PolicyCache.Found? {
        let cached = core.policy.withLock { $0 }
        let path = try VolumePath(ProtectionPolicy.path)
        let place: EntryPlace?
        do throws(ProtectionError) {
            place = try names.entry(at: path, core, metadata)
        } catch {
            // Who is in a folder below, and may not pass the top one any more, keeps to what was
            // read before.
            guard error.code == .forbidden else { throw error }
            return cached.found
        }
        guard let place, let host = try place.hostAttributes(), host.kind == .regular else {
            return nil
        }
        let stamp = PolicyCache.Stamp(host)
        if cached.stamp == stamp, let found = cached.found { return found }
        let found: PolicyCache.Found
        do throws(ProtectionError) {
            let inode = try holdExisting(place.entry, in: place.folder)
            let file = ProtectedFile(inode: inode, options: .read)
            defer { file.close() }
            found = .policy(try ProtectionPolicy(file))
        } catch {
            found = .unusable(error.at(ProtectionPolicy.path))
            // A sealed policy may be opened by the next unlock.
            guard error.code != .sealed else { return found }
        }
        core.policy.withLock { $0 = PolicyCache(stamp: stamp, found: found) }
        return found
    }
}

extension ProtectionPolicy {
    /// Reads the policy from its file.
    init(_ file: ProtectedFile) throws(ProtectionError) {
        guard file.size <= Self.byteCountMaximum else {
            throw ProtectionError.unusablePolicy("it is too long")
        }
        self = try ProtectionPolicy(json: try file.read(at: 0, count: Self.byteCountMaximum))
    }
}

extension [UInt8] {
    /// Whether other bytes are in it.
    fileprivate func contains(_ other: some Collection<UInt8>) -> Bool {
        let wanted = Array(other)
        guard count >= wanted.count else { return false }
        return (0...(count - wanted.count)).contains {
            self[$0..<($0 + wanted.count)].elementsEqual(wanted)
        }
    }
}
