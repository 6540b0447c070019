import DataProtection
import Glibc

/// Which class everything should have, and what is sealed because of it. The plain folder's inode
/// numbers say what is one file.
struct ClassModel {
    var state = LockState.unlocked
    private var files: [UInt64: ProtectionClass] = [:]
    private var folders: [UInt64: ProtectionClass] = [:]
    private let defaultClass = ProtectionClass.completeUntilFirstUserAuthentication

    /// What will be true after an operation that was done.
    enum Effect {
        case none
        /// A file that is made gets this class.
        case newFile(ProtectionClass)
        /// A folder that is made, or changed, gives this class.
        case folder(ProtectionClass?)
        /// A file gets this class.
        case file(inode: UInt64, ProtectionClass)
    }

    /// What a call must do because of classes: be refused, or do what the plain folder does.
    enum Expectation {
        case sealed
        case allowed(Effect)
    }

    private func allowsOpening(_ protectionClass: ProtectionClass) -> Bool {
        switch protectionClass {
        case .complete, .completeUnlessOpen: state == .unlocked
        case .completeUntilFirstUserAuthentication: state != .beforeFirstUnlock
        case .none: true
        }
    }

    /// Making a file and using an open one are allowed in the same states.
    private func allowsCreating(_ protectionClass: ProtectionClass) -> Bool {
        protectionClass == .completeUnlessOpen || allowsOpening(protectionClass)
    }

    func protectionClass(of status: stat) -> ProtectionClass? {
        status.format == S_IFDIR ? folders[status.inode] : files[status.inode]
    }

    /// Whether a file's content can be looked at now.
    func allowsReading(_ status: stat) -> Bool {
        files[status.inode].map { allowsOpening($0) } ?? false
    }

    private func folderClass(of path: String, _ plain: PlainFolder) -> ProtectionClass? {
        let names = path.split(separator: "/").dropLast()
        let folder = try? plain.status(names.joined(separator: "/"), follows: true)
        return folder.flatMap { folders[$0.inode] }
    }

    /// What an operation is to do, before anything has done it.
    func expect(_ operation: ModelOperation, _ plain: PlainFolder) -> Expectation {
        switch operation {
        case .open(_, let path, let opening):
            let options = opening.openOptions
            return open(path, options, opening.protectionClass, plain)
        case .readWhole(let path): return open(path, .read, nil, plain)
        case .writeWhole(let path, _, let asked, _, let exclusive):
            let isTaken = (try? plain.status(path, follows: false)) != nil
            guard !(exclusive && isTaken), let target = try? plain.finalPath(path) else {
                return .allowed(.none)
            }
            let old = try? plain.status(target, follows: false)
            if old?.format == S_IFDIR { return .allowed(.none) }
            let chosen = asked ?? folderClass(of: target, plain) ?? defaultClass
            return allowsCreating(chosen) ? .allowed(.newFile(chosen)) : .sealed
        case .makeFolder(let path, let asked, _):
            return .allowed(.folder(asked ?? folderClass(of: path, plain)))
        case .setClass(let path, let asked):
            guard let found = try? plain.status(path, follows: true) else { return .allowed(.none) }
            if found.format == S_IFDIR { return .allowed(.folder(asked)) }
            return change(asked, found)
        case .setClassOfOpen(let slot, let asked):
            return plain.status(ofSlot: slot).map { change(asked, $0) } ?? .allowed(.none)
        case .read(let slot, _, _): return use(slot, writes: false, plain)
        case .write(let slot, _, _), .append(let slot, _), .truncate(let slot, _),
            .allocate(let slot, _, _), .punchHole(let slot, _), .zeroRange(let slot, _, _):
            return use(slot, writes: true, plain)
        case .seek(let slot, _, _): return use(slot, writes: nil, plain)
        default: return .allowed(.none)
        }
    }

    private func open(
        _ path: String, _ options: OpenOptions, _ asked: ProtectionClass?, _ plain: PlainFolder
    ) -> Expectation {
        let isNew = options.isSuperset(of: [.create, .exclusive])
        let named = try? plain.status(path, follows: false)
        if named != nil, isNew || named?.format == S_IFLNK && options.contains(.noFollow) {
            return .allowed(.none)
        }
        if let found = try? plain.status(path, follows: true) {
            guard let present = files[found.inode], found.format == S_IFREG else {
                return .allowed(.none)
            }
            return allowsOpening(present) ? .allowed(.none) : .sealed
        }
        guard options.contains(.create), let target = try? plain.finalPath(path) else {
            return .allowed(.none)
        }
        let chosen = asked ?? folderClass(of: target, plain) ?? defaultClass
        return allowsCreating(chosen) ? .allowed(.newFile(chosen)) : .sealed
    }

    private func change(_ asked: ProtectionClass?, _ found: stat) -> Expectation {
        guard let asked, let present = files[found.inode], found.format == S_IFREG,
            asked != present
        else { return .allowed(.none) }
        guard allowsOpening(present), allowsCreating(asked) else { return .sealed }
        return .allowed(.file(inode: found.inode, asked))
    }

    private func use(_ slot: Int, writes: Bool?, _ plain: PlainFolder) -> Expectation {
        guard let file = plain.slots[slot], let found = plain.status(ofSlot: slot),
            let present = files[found.inode]
        else { return .allowed(.none) }
        if let writes, !(writes ? file.isWritable : file.isReadable) { return .allowed(.none) }
        return allowsCreating(present) ? .allowed(.none) : .sealed
    }

    /// Notes what an operation that was done has changed.
    mutating func note(_ effect: Effect, _ operation: ModelOperation, _ plain: PlainFolder) {
        switch (effect, operation) {
        case (.file(let inode, let protectionClass), _): files[inode] = protectionClass
        case (.newFile(let protectionClass), .open(let slot, _, _)):
            if let found = plain.status(ofSlot: slot) { files[found.inode] = protectionClass }
        case (.newFile(let protectionClass), .writeWhole(let path, _, _, _, _)):
            if let found = try? plain.status(path, follows: true) {
                files[found.inode] = protectionClass
            }
        case (.folder(let protectionClass), .makeFolder(let path, _, _)),
            (.folder(let protectionClass), .setClass(let path, _)):
            if let found = try? plain.status(path, follows: true) {
                folders[found.inode] = protectionClass
            }
        default: break
        }
    }

    /// Takes over what a volume says, where it is not foreseen.
    mutating func set(_ protectionClass: ProtectionClass?, of found: stat) {
        if found.format == S_IFDIR { folders[found.inode] = protectionClass }
        if found.format == S_IFREG { files[found.inode] = protectionClass }
    }
}
