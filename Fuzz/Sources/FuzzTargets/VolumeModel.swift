import DataProtection

/// What a volume should hold, kept in memory beside it.
struct VolumeModel {
    /// A file or folder.
    final class Node {
        /// The entries of a folder; `nil` for a file.
        var entries: [String: Node]?
        /// A file's bytes.
        var content: [UInt8] = []
        /// A file's class, or what a folder gives to new children.
        var protectionClass: ProtectionClass?

        init(folder: Bool, _ protectionClass: ProtectionClass?) {
            entries = folder ? [:] : nil
            self.protectionClass = protectionClass
        }

        var isFolder: Bool { entries != nil }
    }

    let root = Node(folder: true, nil)
    var state = LockState.unlocked
    let defaultClass = ProtectionClass.completeUntilFirstUserAuthentication

    /// What a path leads to.
    struct Place {
        var parent: Node
        var name: String
        var node: Node? { parent.entries?[name] }
    }

    /// Where a path leads; throws what a call throws whose folder is not there.
    func place(_ path: String) throws(Refusal) -> Place {
        var names = path.split(separator: "/").map(String.init)
        let last = names.removeLast()
        var folder = root
        for name in names {
            guard let next = folder.entries?[name] else { throw Refusal(.missing) }
            guard next.isFolder else { throw Refusal(.notFolder) }
            folder = next
        }
        return Place(parent: folder, name: last)
    }

    func existing(_ path: String) throws(Refusal) -> Node {
        guard let node = try place(path).node else { throw Refusal(.missing) }
        return node
    }

    /// The class of a new file in a folder.
    func classOfNewFile(in folder: Node, _ asked: ProtectionClass?) -> ProtectionClass {
        asked ?? folder.protectionClass ?? defaultClass
    }

    func requireOpening(_ protectionClass: ProtectionClass?) throws(Refusal) {
        let isOpen =
            switch protectionClass ?? .none {
            case .complete, .completeUnlessOpen: state == .unlocked
            case .completeUntilFirstUserAuthentication: state != .beforeFirstUnlock
            case .none: true
            }
        if !isOpen { throw Refusal(.sealed) }
    }

    func requireCreating(_ protectionClass: ProtectionClass?) throws(Refusal) {
        if protectionClass == .completeUnlessOpen { return }
        try requireOpening(protectionClass)
    }

    /// Whether an open handle works is the same question as whether a file can be made.
    func requireHandle(_ protectionClass: ProtectionClass?) throws(Refusal) {
        try requireCreating(protectionClass)
    }
}

/// An error that a call must end with.
struct Refusal: Error, Equatable {
    let code: ProtectionError.Code
    init(_ code: ProtectionError.Code) { self.code = code }
}
