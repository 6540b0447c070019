package import Synchronization

/// One item of a volume for somebody who names items by number and not by path, as a kernel does.
///
/// It stays the same item when it is renamed, and while it is open without a name.
package final class VolumeNode: Sendable {
    /// Names it; never used twice. The top folder is 1.
    package let number: UInt64
    /// What it is.
    package let kind: ItemKind
    /// Whether a cache above may hold its content: some has passed since it was last dropped.
    /// Whoever passes content sets this afterwards, and whoever drops clears it before.
    package let mayBeCached = Atomic(false)

    /// Which host file it is.
    let identity: HostIdentity
    let state: Mutex<State>

    /// One of its names.
    struct Name {
        let parent: VolumeNode
        let name: [UInt8]
    }

    /// What changes, under the namespace lock.
    struct State {
        /// The names under which it was found and that it still has.
        var names: [Name] = []
        /// The open folder, for a folder.
        var folder: Folder?
        /// How often it was looked up and not yet forgotten.
        var lookUpCount: UInt64 = 0
        /// What was seen of a file that nobody had open.
        var seen: SeenFile?
    }

    init(number: UInt64, kind: ItemKind, identity: HostIdentity) {
        self.number = number
        self.kind = kind
        self.identity = identity
        state = Mutex(State())
    }

    /// Its path, by one of its names; `nil` when it has none any more.
    package var path: [[UInt8]]? {
        if number == Self.rootNumber { return [] }
        guard let name = state.withLock({ $0.names.last }), let above = name.parent.path else {
            return nil
        }
        return above + [name.name]
    }

    /// The top folder's number.
    package static let rootNumber: UInt64 = 1

    /// Notes what was seen of a file; `nil` when it may be otherwise soon.
    func note(_ seen: SeenFile?) { state.withLock { $0.seen = seen } }

    /// What was noted, if no class of any file has changed since.
    func noted(changes: Int) -> SeenFile? {
        state.withLock { state in state.seen?.changes == changes ? state.seen : nil }
    }

    /// Notes a name.
    func addName(_ name: [UInt8], in parent: VolumeNode) {
        state.withLock { state in
            let isKnown = state.names.contains { $0.parent === parent && $0.name == name }
            if !isKnown { state.names.append(Name(parent: parent, name: name)) }
        }
    }

    /// Forgets a name.
    func removeName(_ name: [UInt8], in parent: VolumeNode) {
        state.withLock { state in
            state.names.removeAll { $0.parent === parent && $0.name == name }
        }
    }
}

/// A file as it was seen: what the host said, and what only its header tells.
struct SeenFile {
    let host: HostAttributes
    let attributes: ItemAttributes
    /// The count of class changes before it was looked at.
    let changes: Int

    /// - Returns: `nil` for a file of which not all is known and well.
    init?(_ host: HostAttributes, _ attributes: ItemAttributes, changes: Int) {
        guard attributes.kind == .file, attributes.damage == nil,
            attributes.protectionClass != nil
        else { return nil }
        self.host = host
        self.attributes = attributes
        self.changes = changes
    }
}

/// What is told of an item that was looked up.
package struct NodeEntry: Sendable {
    /// The item.
    package let node: VolumeNode
    /// What is known of it.
    package let attributes: ItemAttributes
}

extension ProtectionError {
    /// The item has no name any more under which it could be found.
    package static var itemIsGone: ProtectionError {
        ProtectionError(
            .missing, "the item was removed, or moved by somebody else",
            errorNumber: 116)  // ESTALE
    }
}
