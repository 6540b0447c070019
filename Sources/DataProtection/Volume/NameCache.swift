internal import Synchronization

/// Names that were sealed or opened lately: which name in a folder is which on the host.
///
/// Sealing a name the same way each time is what finds it again, so nothing here grows old. Names
/// are readable whenever the volume is, so nothing here is a secret that a lock wipes.
final class NameCache: Sendable {
    private struct Key<Name: Hashable & Sendable>: Hashable {
        let folder: [UInt8]
        let name: Name
    }

    private struct State {
        var sealed: [Key<[UInt8]>: EntryName] = [:]
        var opened: [Key<String>: [UInt8]] = [:]
    }

    /// A few megabytes; twice a long listing.
    private static let countMaximum = 20_000
    private let state = Mutex(State())

    /// The host's name of a name in a folder.
    ///
    /// - Parameter folder: the folder's own identifier.
    func entry(
        of name: [UInt8], in folder: [UInt8], make: () throws(ProtectionError) -> EntryName
    ) throws(ProtectionError) -> EntryName {
        let key = Key(folder: folder, name: name)
        if let known = state.withLock({ $0.sealed[key] }) { return known }
        let made = try make()
        state.withLock { state in
            if state.sealed.count >= Self.countMaximum { state.sealed = [:] }
            state.sealed[key] = made
        }
        return made
    }

    /// The name behind a host's name in a folder.
    func name(of hostName: String, in folder: [UInt8], open: () -> [UInt8]?) -> [UInt8]? {
        let key = Key(folder: folder, name: hostName)
        if let known = state.withLock({ $0.opened[key] }) { return known }
        guard let opened = open() else { return nil }
        state.withLock { state in
            if state.opened.count >= Self.countMaximum { state.opened = [:] }
            state.opened[key] = opened
        }
        return opened
    }
}
