import DataProtection

/// What a model is run on.
public struct ModelSetup: Sendable {
    /// Where the volume's host files are.
    public enum Host: String, Sendable, CaseIterable { case folder, memory }

    /// Where the volume's host files are.
    public var host: Host
    /// The rules of classes. Under `apple` a class is foreseen, under `safer` it is looked at.
    public var rules: RuleSet
    /// The cipher.
    public var cipher: VolumeCipher

    /// Describes a volume.
    public init(host: Host, rules: RuleSet, cipher: VolumeCipher) {
        self.host = host
        self.rules = rules
        self.cipher = cipher
    }

    /// Whether the volume is locked now and then.
    var locks: Bool { rules == .apple }
}

/// A volume that operations are done to.
final class ModelledVolume {
    private var store: any BackingStore
    private let path: String
    private let device: DeviceKey
    private(set) var volume: ProtectedVolume
    private var slots: [ProtectedFile?] = Array(repeating: nil, count: ModelOperation.slotCount)
    /// Volumes of processes that died: closing one would be more than a dead process does.
    private var dead: [ProtectedVolume] = []
    private var deadSlots: [ProtectedFile] = []
    static let passcode = "model"

    init(_ setup: ModelSetup, in parent: String) throws {
        path = parent + "/volume"
        device = try DeviceKey.inMemory()
        if setup.host == .folder {
            try FolderStore.makeFolders(path)
            store = try FolderStore(path: path)
        } else {
            store = MemoryStore()
        }
        volume = try ProtectedVolume.create(
            in: store,
            configuration: VolumeConfiguration(
                cipher: setup.cipher,
                passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192),
                ruleSet: setup.rules),
            passcode: Passcode(Self.passcode), deviceKey: device)
    }

    func reopen() throws {
        slots = slots.map { _ in nil }
        try volume.close()
        volume = try ProtectedVolume.open(store, deviceKey: device)
    }

    /// What a process leaves that is killed between two calls.
    func kill() throws {
        dead.append(volume)
        deadSlots += slots.compactMap { $0 }
        slots = slots.map { _ in nil }
        if let memory = store as? MemoryStore {
            store = MemoryStore(memory.image())
        } else {
            store.releaseOwnership()
            store = try FolderStore(path: path)
        }
        volume = try ProtectedVolume.open(store, deviceKey: device)
    }

    func unlock() throws { try volume.unlock(passcode: Passcode(Self.passcode)) }

    func protectionClass(ofSlot slot: Int) -> ProtectionClass? { slots[slot]?.protectionClass }

    /// Does an operation.
    func perform(_ operation: ModelOperation) -> ModelResult {
        do {
            return try performNames(operation)
        } catch let error as ProtectionError {
            return error.code == .sealed ? .sealed : .failed(error.errorNumber)
        } catch {
            return .failed(-1)
        }
    }

    private func performOnSlot(_ operation: ModelOperation, _ slot: Int) throws -> ModelResult {
        guard let file = slots[slot] else { return .nothing }
        switch operation {
        case .read(_, let offset, let count): return .bytes(try file.read(at: offset, count: count))
        case .write(_, let offset, let bytes): try file.write(bytes.bytes, at: offset)
        case .append(_, let bytes): return .place(try file.append(bytes.bytes))
        case .truncate(_, let size): try file.truncate(to: size)
        case .allocate(_, let range, let keepsSize):
            try file.allocate(range, keepsSize: keepsSize)
        case .punchHole(_, let range): try file.punchHole(range)
        case .zeroRange(_, let range, let keepsSize):
            try file.zeroRange(range, keepsSize: keepsSize)
        case .seek(_, let offset, let hole):
            let found = hole ? try file.nextHole(from: offset) : try file.nextData(from: offset)
            return found.map { .place($0) } ?? .bytes(nil)
        case .synchronize(_, let everything): try file.synchronize(everything: everything)
        case .status: return .attributes(ModelAttributes(try file.attributes()))
        case .change(_, let change): try file.setAttributes(change.attributeChange)
        case .setClassOfOpen(_, let asked): try file.setProtectionClass(asked)
        default: break
        }
        return .done
    }

    private func performNames(_ operation: ModelOperation) throws -> ModelResult {
        switch operation {
        case .open(let slot, let path, let opening):
            slots[slot] = nil
            slots[slot] = try volume.openFile(
                path, opening.openOptions, class: opening.protectionClass, mode: opening.mode)
        case .close(let slot): slots[slot] = nil
        case .readWhole(let path): return .bytes(try volume.read(path))
        case .writeWhole(let path, let bytes, let asked, let mode, let exclusive):
            try volume.write(
                bytes.bytes, to: path, class: asked, mode: mode,
                rule: exclusive ? .exclusive : .replace)
        case .link(let path, let newPath): try volume.link(path, to: newPath)
        case .symlink(let path, let target): try volume.makeSymbolicLink(path, target: target)
        case .readlink(let path): return .text(try volume.symbolicLinkTarget(of: path))
        case .makeFifo(let path, let mode): try volume.makeNode(path, .fifo, mode: mode)
        case .remove(let path): try volume.removeFile(path)
        case .rename(let path, let newPath, let rule):
            try volume.rename(path, to: newPath, rule: rule)
        case .makeFolder(let path, let asked, let mode):
            try volume.makeFolder(path, class: asked, mode: mode)
        case .removeFolder(let path): try volume.removeFolder(path)
        case .list(let path): return .names(try volume.list(path).map(\.name))
        case .attributes(let path, let follows):
            return .attributes(
                ModelAttributes(try volume.attributes(of: path, followingLinks: follows)))
        case .setAttributes(let path, let change, let follows):
            try volume.setAttributes(change.attributeChange, of: path, followingLinks: follows)
        case .setUserAttribute(let path, let name, let value, let rule):
            try volume.setUserAttribute(name, to: value.bytes, of: path, rule: rule)
        case .userAttribute(let path, let name):
            return .bytes(try volume.userAttribute(name, of: path))
        case .removeUserAttribute(let path, let name):
            try volume.removeUserAttribute(name, of: path)
        case .userAttributeNames(let path):
            return .names(try volume.userAttributeNames(of: path))
        case .synchronizeFolder(let path): try volume.synchronizeFolder(path)
        case .setClass(let path, let asked): try volume.setProtectionClass(asked, of: path)
        case .lock: volume.lock()
        case .unlock: try unlock()
        case .reopen: try reopen()
        case .kill: try kill()
        default: return try operation.slot.map { try performOnSlot(operation, $0) } ?? .nothing
        }
        return .done
    }
}

extension ModelAttributes {
    init(_ found: ItemAttributes) {
        let kind: Kind =
            switch found.kind {
            case .folder: .folder
            case .symlink: .symlink
            case .file: .file
            default: .fifo
            }
        self.init(
            kind: kind, size: found.size, mode: found.mode, linkCount: found.linkCount,
            owner: found.owner, group: found.group,
            modification: ModelTime(
                seconds: found.modificationTime.seconds,
                nanoseconds: found.modificationTime.nanoseconds),
            access: ModelTime(
                seconds: found.accessTime.seconds, nanoseconds: found.accessTime.nanoseconds))
        normalize()
    }
}

extension ModelOperation {
    /// The slot that is worked on; `nil` for what is about names.
    var slot: Int? {
        switch self {
        case .close(let slot), .read(let slot, _, _), .write(let slot, _, _), .append(let slot, _),
            .truncate(let slot, _), .allocate(let slot, _, _), .punchHole(let slot, _),
            .zeroRange(let slot, _, _), .seek(let slot, _, _), .synchronize(let slot, _),
            .status(let slot), .change(let slot, _), .setClassOfOpen(let slot, _):
            slot
        default: nil
        }
    }
}
