/// One call on a store, as a fault hook sees it before it happens.
package struct HostCall: Hashable, Sendable {
    /// Which call: one case for each requirement of the store's protocols.
    package enum Operation: String, Hashable, Sendable, CaseIterable {
        case acquireOwnership, syncAll, capabilities
        case folderAttributes, attributesOfEntry, list
        case openFile, createFile, openFolder, makeFolder, makeSymlink, readSymlink
        case removeFile, removeFolder, rename, setMode, syncFolder
        case fileAttributes, read, write, truncate, syncFile, attribute, setAttribute

        /// Whether the call changes something, or makes a change durable.
        package var changesSomething: Bool {
            switch self {
            case .createFile, .makeFolder, .makeSymlink, .removeFile, .removeFolder, .rename,
                .setMode, .write, .truncate, .setAttribute, .syncFolder, .syncFile, .syncAll:
                true
            default: false
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
