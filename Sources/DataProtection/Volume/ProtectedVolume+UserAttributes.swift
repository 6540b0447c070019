internal import Cryptography
internal import Synchronization

/// How an attribute is set that is there, or is not.
public enum UserAttributeRule: Sendable, Hashable {
    /// It is made or replaced.
    case set
    /// It must not be there: else `exists`.
    case create
    /// It must be there: else `noAttribute`.
    case replace
}

/// `user.*` attributes of files and folders. See: 'man 7 xattr'.
///
/// Names and values are encrypted under the volume's metadata keys: they can be read and changed in
/// every lock state, as names can. What only an unlocked volume may tell belongs into a file.
extension ProtectedVolume {
    /// The value of an attribute.
    ///
    /// - Parameters:
    ///   - name: its name without `user.`, 1 to 171 bytes.
    ///   - path: the file or folder; a symbolic link is followed.
    /// - Returns: `nil` when it is not set.
    /// - Throws: `missing`, `damaged`; `notSupported` for what is neither file nor folder.
    public func userAttribute(
        _ name: String, of path: String
    ) throws(ProtectionError) -> [UInt8]? {
        try withUserAttributes(of: path, to: .list) { attributes throws(ProtectionError) in
            try attributes.value(of: Array(name.utf8))
        }
    }

    /// Sets an attribute.
    ///
    /// - Parameters:
    ///   - name: its name without `user.`, 1 to 171 bytes.
    ///   - value: at most 65,496 bytes; many hosts hold less, ext4 about 4000 in all.
    ///   - path: the file or folder; a symbolic link is followed.
    ///   - rule: what if it is set already.
    /// - Throws: `exists`, `noAttribute` as the rule says; `noSpace` when the host cannot hold it;
    ///   `missing`; `notSupported` for what is neither file nor folder, and on hosts without
    ///   attributes.
    public func setUserAttribute(
        _ name: String, to value: [UInt8], of path: String, rule: UserAttributeRule = .set
    ) throws(ProtectionError) {
        try withUserAttributes(of: path, to: .write) { attributes throws(ProtectionError) in
            try core.session.beginWriting(core.keyring)
            try attributes.set(Array(name.utf8), to: value, rule)
        }
    }

    /// Takes an attribute away.
    ///
    /// - Throws: `noAttribute` when it is not set; else as `setUserAttribute(_:to:of:rule:)`.
    public func removeUserAttribute(
        _ name: String, of path: String
    ) throws(ProtectionError) {
        try withUserAttributes(of: path, to: .write) { attributes throws(ProtectionError) in
            try core.session.beginWriting(core.keyring)
            try attributes.remove(Array(name.utf8))
        }
    }

    /// The names of all attributes, without `user.`, sorted; bytes that are not UTF-8 are replaced.
    ///
    /// - Throws: `missing`; `notSupported` for what is neither file nor folder.
    public func userAttributeNames(of path: String) throws(ProtectionError) -> [String] {
        try withUserAttributes(of: path, to: nil) { attributes throws(ProtectionError) in
            try attributes.names().map { String(decoding: $0, as: UTF8.self) }.sorted()
        }
    }

    /// - Parameter use: what the kept mode must allow; listing the names needs nothing.
    private func withUserAttributes<Result>(
        of path: String, to use: Folder.Use?,
        _ body: (SealedAttributes) throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result {
        try withItem(path, followingLinks: true) { item, metadata throws(ProtectionError) in
            try body(try sealedAttributes(of: item, to: use, metadata))
        }
    }

    /// The attributes of an item, for a use that its kept mode must allow.
    func sealedAttributes(
        of item: Item, to use: Folder.Use?, _ metadata: MetadataKeys
    ) throws(ProtectionError) -> SealedAttributes {
        let host: any BackingAttributes
        switch item {
        case .folder(let folder):
            if let use { try folder.require(use) }
            host = folder.backing.userAttributes
        case .file(let place, let status):
            let (file, identity) = try openHost(place.entry, in: place.folder)
            if let use { try require(use, file, identity, owner: status.owner) }
            host = file.userAttributes
        case .other: throw .noAttributesHere
        }
        return SealedAttributes(host: host, core: core, metadata: metadata)
    }

    private func require(
        _ use: Folder.Use, _ file: any BackingFile, _ identity: HostIdentity, owner: UInt32
    ) throws(ProtectionError) {
        let kept: UInt32?
        if let inode = core.inodes.find(identity) {
            kept = inode.state.withLock { $0.header.keptMode }
        } else {
            // Whatever else is wrong with a file, its attributes can be read.
            kept = (try? FileInspection(file, session: core.session))?.header?.keptMode
        }
        guard KeptMode.allows(use.rawValue, kept, owner: owner) else { throw .modeForbids }
    }
}

/// The attributes of one host file or folder, as the volume sees them.
struct SealedAttributes {
    let host: any BackingAttributes
    let core: VolumeCore
    let metadata: MetadataKeys

    private static let prefix = "user."
    /// The host's names with this prefix are hints, not attributes (docs/format.md 8.4).
    private static let hintPrefix = "user.seal."
    /// The longest name whose sealed form fits the host's 255 bytes.
    private static let nameByteCountMaximum = 171
    private static let valueByteCountMaximum = 65536 - SealedValue.overheadByteCount

    /// All names.
    func names() throws(ProtectionError) -> [[UInt8]] {
        try onHost { () throws(HostError) in try host.names() }.compactMap { name(of: $0) }
    }

    /// The value; `nil` when it is not set.
    func value(of name: [UInt8]) throws(ProtectionError) -> [UInt8]? {
        let hostName = try hostName(of: name)
        guard let sealed = try onHost({ () throws(HostError) in try host.value(of: hostName) })
        else { return nil }
        return try translating(ProtectionError.damaged("the attribute is damaged")) {
            () throws(CryptographyError) in
            try SealedValue.open(
                sealed, context: context(name), key: metadata.attributesKey,
                algorithm: core.keyring.algorithm)
        }
    }

    /// Sets a value.
    func set(
        _ name: [UInt8], to value: [UInt8], _ rule: UserAttributeRule
    ) throws(ProtectionError) {
        let hostName = try hostName(of: name)
        guard value.count <= Self.valueByteCountMaximum else {
            throw .invalidArgument("a value has at most \(Self.valueByteCountMaximum) bytes")
        }
        let sealed = try translating { () throws(CryptographyError) in
            try SealedValue.seal(
                value, context: context(name), key: metadata.attributesKey,
                algorithm: core.keyring.algorithm)
        }
        let hostRule: HostAttributeRule =
            switch rule {
            case .set: .set
            case .create: .create
            case .replace: .replace
            }
        try onHost { () throws(HostError) in
            try host.set(hostName, to: sealed, rule: hostRule)
        }
    }

    /// Takes one away.
    func remove(_ name: [UInt8]) throws(ProtectionError) {
        let hostName = try hostName(of: name)
        try onHost { () throws(HostError) in try host.remove(hostName) }
    }

    /// Takes all of them over to a file that replaces this one. Their values are bound to their
    /// names alone, so no key is needed.
    func copy(to other: any BackingAttributes) throws(ProtectionError) {
        try onHost { () throws(HostError) in
            for hostName in try host.names() where !hostName.hasPrefix(Self.hintPrefix) {
                guard let value = try host.value(of: hostName) else { continue }
                try other.set(hostName, to: value, rule: .set)
            }
        }
    }

    /// Opens every value. Attributes of other programs are passed over.
    ///
    /// - Throws: `damaged`, `host`.
    func verify() throws(ProtectionError) {
        for hostName in try onHost({ () throws(HostError) in try host.names() })
        where hostName.hasPrefix(Self.prefix) && !hostName.hasPrefix(Self.hintPrefix) {
            let sealed = Base64URL.decode(String(hostName.dropFirst(Self.prefix.count)))
            guard let sealed, sealed.count > SyntheticIVCipher.overheadByteCount else { continue }
            guard let name = name(of: hostName) else {
                throw .damaged("the name of an attribute is damaged")
            }
            _ = try value(of: name)
        }
    }

    private func context(_ name: [UInt8]) -> [UInt8] {
        SealedValue.attributeContext(
            volumeIdentifier: core.keyring.volumeIdentifier, name: name)
    }

    private func hostName(of name: [UInt8]) throws(ProtectionError) -> String {
        guard (1...Self.nameByteCountMaximum).contains(name.count), !name.contains(0) else {
            throw .unusableAttributeName(byteCount: name.count)
        }
        let context = SealedValue.attributeNameContext(
            volumeIdentifier: core.keyring.volumeIdentifier)
        let sealed = try translating { () throws(CryptographyError) in
            try metadata.names.seal(name.span, authenticating: context.span)
        }
        return Self.prefix + Base64URL.encode(sealed)
    }

    /// The name behind a host name; `nil` for what is none of the volume's.
    private func name(of hostName: String) -> [UInt8]? {
        guard hostName.hasPrefix(Self.prefix), !hostName.hasPrefix(Self.hintPrefix),
            let sealed = Base64URL.decode(String(hostName.dropFirst(Self.prefix.count)))
        else { return nil }
        let context = SealedValue.attributeNameContext(
            volumeIdentifier: core.keyring.volumeIdentifier)
        return try? metadata.names.open(sealed.span, authenticating: context.span)
    }
}
