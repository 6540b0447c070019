/// One call on a store, as a fault hook sees it before it happens.
package struct HostCall: Hashable, Sendable {
    /// Which call: one case for each requirement of the store's protocols.
    package enum Operation: String, Hashable, Sendable, CaseIterable {
        case acquireOwnership, syncAll, capabilities, space
        case folderAttributes, attributesOfEntry, list
        case openFile, createFile, openFolder, makeFolder, makeNode, makeLink, makeSymlink
        case readSymlink, removeFile, removeFolder, rename, setAttributesInFolder, syncFolder
        case fileAttributes, read, nextData, write, nextHole, punchHole, allocate
        case setFileAttributes, truncate, syncFile
        case userAttributeNames, userAttribute, setUserAttribute, removeUserAttribute

        /// Whether the call changes something, or makes a change durable.
        package var changesSomething: Bool {
            switch self {
            case .createFile, .makeFolder, .makeNode, .makeLink, .makeSymlink, .removeFile,
                .removeFolder, .rename, .setAttributesInFolder, .syncFolder, .write, .punchHole,
                .allocate, .setFileAttributes, .truncate, .syncFile, .setUserAttribute,
                .removeUserAttribute, .syncAll:
                true
            case .acquireOwnership, .capabilities, .space, .folderAttributes, .attributesOfEntry,
                .list, .openFile, .openFolder, .readSymlink, .fileAttributes, .read, .nextData,
                .nextHole, .userAttributeNames, .userAttribute:
                false
            }
        }
    }

    /// Which call.
    package var operation: Operation
    /// The host name it is about: of the entry, or the name under which the file or folder was
    /// opened. The top folder, and calls on the store itself, have ".".
    package var name: String

    /// Describes a call.
    package init(_ operation: Operation, _ name: String) {
        self.operation = operation
        self.name = name
    }
}
