internal import Synchronization

/// The `user.*` attributes of an inode of a memory store.
struct MemoryUserAttributes: BackingAttributes {
    /// The inode.
    let node: MemoryNode
    /// The store it is in.
    let store: MemoryStore
    /// The name under which it was opened, for the store's hook.
    let name: String

    func names() throws(HostError) -> [String] {
        try store.willCall(.userAttributeNames, name)
        return node.state.withLock { state in state.attributes.keys.map(\.name) }
    }

    func value(of name: String) throws(HostError) -> [UInt8]? {
        try store.willCall(.userAttribute, self.name)
        do {
            try HostName.check(attribute: name, call: "fgetxattr")
        } catch let error {
            if error.code == HostError.notSupported { return nil }
            throw error
        }
        return node.state.withLock { $0.attributes[HostNameKey(name)] }
    }

    func set(_ name: String, to value: [UInt8], rule: HostAttributeRule) throws(HostError) {
        try store.willCall(.setUserAttribute, self.name)
        try HostName.check(attribute: name, value: value, call: "fsetxattr")
        guard store.options.hasAttributes else {
            throw HostError(code: HostError.notSupported, call: "fsetxattr")
        }
        try change(name, to: value) { (isSet) throws(HostError) in
            if rule == .create, isSet {
                throw HostError(code: HostError.entryExists, call: "fsetxattr")
            }
            if rule == .replace, !isSet {
                throw HostError(code: HostError.noSuchAttribute, call: "fsetxattr")
            }
        }
    }

    func remove(_ name: String) throws(HostError) {
        try store.willCall(.removeUserAttribute, self.name)
        try HostName.check(attribute: name, call: "fremovexattr")
        guard store.options.hasAttributes else {
            throw HostError(code: HostError.notSupported, call: "fremovexattr")
        }
        try change(name, to: nil) { (isSet) throws(HostError) in
            if !isSet { throw HostError(code: HostError.noSuchAttribute, call: "fremovexattr") }
        }
    }

    /// Changes a value, or takes it away with `nil`, unless `check` objects.
    private func change(
        _ name: String, to value: [UInt8]?, unless check: (Bool) throws(HostError) -> Void
    ) throws(HostError) {
        let key = HostNameKey(name)
        try node.state.withLock { (state) throws(HostError) in
            try check(state.attributes[key] != nil)
            let time = store.time()
            state.attributes[key] = value
            state.status.touch(time)
            store.didChange(
                .setUserAttribute(inode: node.inode, name: name, value: value, time: time))
        }
    }
}
