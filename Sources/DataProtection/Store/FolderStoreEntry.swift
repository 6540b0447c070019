/// What the files and folders of a folder store have in common: a descriptor with attributes.
protocol FolderStoreEntry: AnyObject, BackingAttributes {
    /// The open file or folder.
    var descriptor: HostDescriptor { get }
}

extension FolderStoreEntry {
    func attributes() throws(HostError) -> HostAttributes {
        HostAttributes(try HostSystemCalls.status(of: descriptor))
    }

    func setAttributes(_ change: HostAttributeChange) throws(HostError) {
        try change.check(call: "futimens")
        if change.changesOwner {
            try HostSystemCalls.setOwner(change.owner, group: change.group, of: descriptor)
        }
        if let mode = change.mode { try HostSystemCalls.setMode(mode & 0o7777, of: descriptor) }
        if change.changesTimes {
            try HostSystemCalls.setTimes(
                access: change.accessTime, modification: change.modificationTime, of: descriptor)
        }
    }
}

/// The `user.*` attributes are the descriptor's.
extension FolderStoreEntry {
    var userAttributes: any BackingAttributes { self }

    func names() throws(HostError) -> [String] {
        do {
            return try HostSystemCalls.attributeNames(of: descriptor)
                .split(separator: 0)
                .filter { $0.starts(with: HostName.attributePrefix) }
                .map { String(decoding: $0, as: UTF8.self) }
        } catch let error {
            if error.code == HostError.notSupported { return [] }
            throw error
        }
    }

    func value(of name: String) throws(HostError) -> [UInt8]? {
        do {
            try HostName.check(attribute: name, call: "fgetxattr")
            return try HostSystemCalls.userAttribute(name, of: descriptor)
        } catch let error {
            switch error.code {
            case HostError.noSuchAttribute, HostError.notSupported: return nil
            default: throw error
            }
        }
    }

    func set(_ name: String, to value: [UInt8], rule: HostAttributeRule) throws(HostError) {
        try HostName.check(attribute: name, value: value, call: "fsetxattr")
        try HostSystemCalls.setUserAttribute(name, of: descriptor, to: value, rule: rule)
    }

    func remove(_ name: String) throws(HostError) {
        try HostName.check(attribute: name, call: "fremovexattr")
        try HostSystemCalls.removeUserAttribute(name, of: descriptor)
    }
}
