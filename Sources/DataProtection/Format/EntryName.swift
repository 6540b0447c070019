private import Cryptography

/// The reserved host names (docs/format.md 3).
package enum ReservedName {
    /// The two copies of the keybag; the first counts when both are equal.
    package static let keybags = [".keybag-1", ".keybag-2"]
    /// Whether the volume was closed cleanly.
    package static let marker = ".marker"
    /// Held while a process owns the volume.
    package static let lock = ".lock"
    /// A folder's record.
    package static let folder = ".folder"
    /// Starts the host name of an entry with a long name.
    package static let longEntry = ".long-"
    /// Starts the link that holds a long name.
    package static let longName = ".name-"
    /// Starts something half made.
    package static let new = ".new-"
    /// Starts a keybag or marker that is being written.
    package static let newRecord = ".new-record-"
    /// Starts something half removed.
    package static let gone = ".gone-"
}

extension ReservedName {
    /// What a host name is for.
    package enum Role: Equatable {
        /// An entry of the volume.
        case entry
        /// A record of the volume or of the folder.
        case record
        /// Something half made or half removed.
        case temporary
        /// The link that holds the long name of an entry with this host name.
        case longName(of: String)
        /// A keybag that is none of the two.
        case keybagCopy
        /// Nothing of the volume's.
        case unknown
    }

    /// What a host name is for, by its look.
    package static func role(of name: String, inTopFolder isTop: Bool) -> Role {
        if EntryName.isEntry(name) { return .entry }
        if name == folder || name.hasPrefix(newRecord) { return .record }
        if isTop, keybags.contains(name) || name == marker || name == lock { return .record }
        if isTemporary(name) { return .temporary }
        let rest = name.dropFirst(longName.count)
        if name.hasPrefix(longName), rest.allSatisfy(Base64URL.isCharacter) {
            return .longName(of: longEntry + rest)
        }
        return name.hasPrefix(".keybag-") ? .keybagCopy : .unknown
    }

    /// Whether a host name is that of something half made or half removed.
    package static func isTemporary(_ name: String) -> Bool {
        (name.hasPrefix(new) || name.hasPrefix(gone)) && !name.hasPrefix(newRecord)
    }
}

/// The sealed name of an entry, as the host sees it (docs/format.md 7.2 and 7.3).
package struct EntryName: Hashable, Sendable {
    /// The entry's name on the host.
    package var hostName: String
    /// For a long name: the name and the target of the link that holds it.
    package var link: Link?

    /// The link that holds a long name.
    package struct Link: Hashable, Sendable {
        /// The link's name on the host.
        package var hostName: String
        /// The sealed name, in base64url.
        package var target: String
    }

    /// The longest name of an entry, in bytes.
    package static let byteCountMaximum = 255

    /// Makes the host name for a sealed name.
    package init(sealed: [UInt8]) {
        if Base64URL.characterCount(forByteCount: sealed.count) <= Self.byteCountMaximum {
            hostName = Base64URL.encode(sealed)
            return
        }
        let hash = Base64URL.encode(SHA256.hash(sealed.span))
        hostName = ReservedName.longEntry + hash
        link = Link(
            hostName: ReservedName.longName + hash, target: Base64URL.encode(sealed))
    }

    /// The name of something half made.
    package init(reserved hostName: String) { self.hostName = hostName }

    /// An entry whose name cannot be read; a long one's link goes with it.
    package init(damagedHostName hostName: String) {
        self.hostName = hostName
        guard hostName.hasPrefix(ReservedName.longEntry) else { return }
        let hash = hostName.dropFirst(ReservedName.longEntry.count)
        link = Link(hostName: ReservedName.longName + hash, target: "")
    }

    /// The sealed name behind a host name.
    ///
    /// - Parameters:
    ///   - hostName: an entry's host name.
    ///   - linkTarget: gives the target of a link in the same folder, or `nil`.
    /// - Returns: `nil` when the host name is not an entry's, or its link does not belong to it.
    package static func sealedName(
        hostName: String, linkTarget: (String) -> String?
    ) -> [UInt8]? {
        guard hostName.hasPrefix(ReservedName.longEntry) else {
            // What is longer has a link: one sealed name has one host name.
            let fits = hostName.utf8.count <= byteCountMaximum
            return hostName.hasPrefix(".") || !fits ? nil : Base64URL.decode(hostName)
        }
        let hash = String(hostName.dropFirst(ReservedName.longEntry.count))
        guard let target = linkTarget(ReservedName.longName + hash),
            let sealed = Base64URL.decode(target), EntryName(sealed: sealed).hostName == hostName
        else { return nil }
        return sealed
    }

    /// Whether a host name is one of an entry, not a reserved one.
    package static func isEntry(_ hostName: String) -> Bool {
        !hostName.hasPrefix(".") || hostName.hasPrefix(ReservedName.longEntry)
    }

    /// Why a name cannot be an entry's; `nil` when it can.
    package static func fault(of name: [UInt8]) -> String? {
        if name.isEmpty { return "it is empty" }
        if name.count > byteCountMaximum { return "it has \(name.count) bytes" }
        if name.contains(0) || name.contains(UInt8(ascii: "/")) {
            return "it holds a slash or a NUL"
        }
        if name == [46] || name == [46, 46] { return "it is . or .." }
        return nil
    }
}
