import DataProtection
import Glibc

/// What a volume did that a plain folder does not.
public struct ModelFault: Error, CustomStringConvertible {
    /// Which operation, and what both did.
    public let description: String
    /// What kind of fault it is: the operation's name and how it ended on both sides.
    let kind: String
}

/// A volume and a plain folder to which the same is done.
public final class ModelRun {
    let setup: ModelSetup
    let plain: PlainFolder
    let volume: ModelledVolume
    private let scratch: String
    var classes = ClassModel()
    private var number = 0

    /// Makes both, empty, below a folder that is empty.
    public init(_ setup: ModelSetup, in scratch: String) throws {
        self.setup = setup
        self.scratch = scratch
        plain = try PlainFolder(in: scratch)
        volume = try ModelledVolume(setup, in: scratch)
        // How the top folders are made is the host's affair.
        try compare(.setAttributes("", ModelChange(mode: 0o755), follows: true))
    }

    /// Does some operations to both.
    ///
    /// - Throws: `ModelFault` where they differ.
    public func run(_ operations: [ModelOperation]) throws {
        for operation in operations { try step(operation) }
        try finish()
    }

    /// Opens the volume anew and compares everything.
    public func finish() throws {
        try step(.reopen)
        try step(.unlock)
        try compareTrees()
    }

    /// Does one operation to both, and compares.
    public func step(_ operation: ModelOperation) throws {
        number += 1
        switch operation {
        case .lock, .unlock, .reopen, .kill: try changeState(operation)
        case .seek(let slot, let offset, let hole): try seek(operation, slot, offset, hole)
        case .allocate(let slot, _, _), .punchHole(let slot, _), .zeroRange(let slot, _, _):
            try compare(operation)
            // Whether these are changes when nothing changes is each host's own affair; a change
            // takes some bits of the mode away.
            try compare(
                .change(slot, ModelChange(mode: 0o600, modification: ModelTime.all[0])))
        case .rename(_, let newPath, _):
            try compare(operation)
            // A long name that was made and taken back left its trace on the folder.
            let folder = newPath.split(separator: "/").dropLast().joined(separator: "/")
            let change = ModelChange(modification: ModelTime.all[0])
            try compare(.setAttributes(folder, change, follows: true))
        default: try compare(operation)
        }
        if number % 250 == 0 { try compareTrees() }
    }

    func fault(_ operation: ModelOperation, _ text: String) -> ModelFault {
        ModelFault(
            description: "operation \(number), \(operation), \(classes.state): \(text)",
            kind: operation.name + text.filter { !$0.isNumber })
    }

    private func changeState(_ operation: ModelOperation) throws {
        let result = volume.perform(operation)
        guard result == .done else { throw fault(operation, "\(result)") }
        switch operation {
        case .lock: if classes.state == .unlocked { classes.state = .locked }
        case .unlock: classes.state = .unlocked
        default:
            plain.closeAll()
            classes.state = .beforeFirstUnlock
        }
        guard volume.volume.lockState == classes.state else {
            throw fault(operation, "\(volume.volume.lockState)")
        }
        if !setup.locks, classes.state != .unlocked { try step(.unlock) }
    }

    func compare(_ operation: ModelOperation) throws {
        switch classes.expect(operation, plain) {
        case .sealed:
            let result = volume.perform(operation)
            // Who may not open it anyway may be told that.
            guard result == .sealed || result == .failed(EACCES) && getuid() != 0 else {
                throw fault(operation, "the volume says \(result), its class is sealed")
            }
            if case .open(let slot, _, _) = operation { plain.close(slot) }
        case .allowed(let effect):
            var wanted = plain.perform(operation)
            var found = volume.perform(operation)
            if case .attributes(let path, _) = operation, isTop(path) {
                (wanted, found) = (wanted.withoutTimes, found.withoutTimes)
            }
            guard ModelErrors.areSame(wanted, found, operation) else {
                throw fault(operation, "the folder says \(wanted), the volume \(found)")
            }
            if found == .done { try note(effect, operation) }
        }
    }

    private func isTop(_ path: String) -> Bool {
        let top = try? plain.status("", follows: true)
        return (try? plain.status(path, follows: true))?.inode == top?.inode
    }

    /// Notes which class something has now; says it if the volume gave it another one.
    private func note(_ effect: ClassModel.Effect, _ operation: ModelOperation) throws {
        guard setup.rules == .apple else { return }
        classes.note(effect, operation, plain)
        guard case .open(let slot, _, _) = operation, let status = plain.status(ofSlot: slot) else {
            return
        }
        let wanted = classes.protectionClass(of: status)
        let found = volume.protectionClass(ofSlot: slot)
        guard wanted == found else {
            throw fault(
                operation, "class \(String(describing: found)), not \(String(describing: wanted))")
        }
    }

    /// Where data and holes are is the host's affair; but what is called a hole must be zeros.
    private func seek(
        _ operation: ModelOperation, _ slot: Int, _ offset: Int64, _ hole: Bool
    ) throws {
        let found = volume.perform(operation)
        if case .sealed = classes.expect(operation, plain) {
            guard found == .sealed else { throw fault(operation, "\(found), not sealed") }
            return
        }
        guard let file = plain.slots[slot], let status = plain.status(ofSlot: slot) else {
            guard found == .nothing else { throw fault(operation, "\(found), not nothing") }
            return
        }
        let size = Int64(status.st_size)
        switch found {
        case .bytes(nil):
            // Behind the end there is neither; and data may end before the file does.
            guard offset >= size else { throw fault(operation, "nothing at \(offset) of \(size)") }
        case .place(let place):
            guard (offset...size).contains(place), offset < size, hole || place < size else {
                throw fault(operation, "\(place) from \(offset) of \(size)")
            }
            guard !hole, file.isReadable else { return }
            let passed = try plain.read(file.descriptor, offset, Int(place - offset))
            guard passed.allSatisfy({ $0 == 0 }) else {
                throw fault(operation, "data before \(place) was passed over")
            }
        default: throw fault(operation, "\(found)")
        }
    }
}

/// When two results are the same.
enum ModelErrors {
    static func areSame(
        _ wanted: ModelResult, _ found: ModelResult, _ operation: ModelOperation
    ) -> Bool {
        guard case .failed(let one) = wanted, case .failed(let other) = found else {
            return wanted == found
        }
        if canonical(one) == canonical(other) { return true }
        // Which of several reasons is told is not promised everywhere.
        switch operation {
        case .rename:
            return [EISDIR, ENOTDIR, ENOTEMPTY, EINVAL].contains(one) && other == EACCES
        case .open, .readWhole: return one == ENXIO && other == EACCES
        default: return false
        }
    }

    /// The engine keeps EPERM for what is sealed.
    private static func canonical(_ number: Int32) -> Int32 { number == EPERM ? EACCES : number }
}
