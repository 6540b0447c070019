import DataProtection

// Sequences of operations. Names are few, so that most paths lead somewhere.

extension ModelOperation {
    static let names = ["a", "b", "c", "ü", String(repeating: "n", count: 200)]
    static let slotCount = 5
    private static let fileModes: [UInt32] = [
        0o600, 0o644, 0o640, 0o666, 0o755, 0o400, 0o200, 0o000, 0o4755, 0o2755, 0o444,
    ]
    private static let folderModes: [UInt32] = [
        0o700, 0o755, 0o700, 0o777, 0o1777, 0o500, 0o300, 0o000,
    ]
    private static let edges: [Int64] = [
        0, 1, 3539, 3540, 3541, 4052, 4096, 7592, 7593, 11_644, 20_000, 66_000, 150_000,
    ]

    /// Draws an operation.
    ///
    /// - Parameters:
    ///   - locks: whether the volume is locked now and then.
    ///   - isRoot: whether this process may give files away.
    ///   - isOnDisk: whether the host is a real one, which takes some bits away at a write.
    public static func random(
        using generator: inout some RandomNumberGenerator, locks: Bool, isRoot: Bool, isOnDisk: Bool
    ) -> ModelOperation {
        var draw = Draw(generator: generator, changesOwner: isRoot)
        if !isRoot, !isOnDisk { draw.fileModes.removeAll { $0 & 0o6000 != 0 } }
        defer { generator = draw.generator }
        switch Int.random(in: 0..<1000, using: &draw.generator) {
        case 0..<4: return locks ? .lock : .list(draw.folder())
        case 4..<14: return locks ? .unlock : .list("")
        case 14..<16: return .reopen
        case 16..<18: return .kill
        case 18..<450: return draw.onSlot()
        case 450..<640: return draw.onFile()
        case 640..<860: return draw.onNames()
        default: return draw.onAttributes()
        }
    }

    /// What is drawn from a generator.
    private struct Draw<Generator: RandomNumberGenerator> {
        var generator: Generator
        let changesOwner: Bool
        var fileModes = ModelOperation.fileModes
        var folderModes = ModelOperation.folderModes

        init(generator: Generator, changesOwner: Bool) {
            self.generator = generator
            self.changesOwner = changesOwner
            // The kernel lets nobody follow others' links there. See: 'man 5 proc', protected_*.
            if changesOwner { folderModes.removeAll { $0 & 0o1000 != 0 } }
        }

        mutating func one<Value>(_ values: [Value]) -> Value {
            values.randomElement(using: &generator)!
        }

        mutating func chance(_ percent: Int) -> Bool {
            Int.random(in: 0..<100, using: &generator) < percent
        }

        mutating func slot() -> Int { Int.random(in: 0..<slotCount, using: &generator) }

        mutating func path() -> String {
            let count = one([1, 1, 1, 1, 2, 2, 3])
            return (0..<count).map { _ in one(names) }.joined(separator: "/")
        }

        mutating func folder() -> String { chance(30) ? "" : path() }

        mutating func protectionClass() -> ProtectionClass? {
            chance(60) ? nil : one(ProtectionClass.allCases)
        }

        mutating func bytes() -> ModelBytes {
            ModelBytes(
                seed: UInt8.random(in: 0...255, using: &generator),
                count: one([0, 1, 5, 100, 900, 3540, 4052, 8000, 13_000]))
        }

        mutating func offset() -> Int64 {
            let offset = one(edges) + Int64.random(in: -1...1, using: &generator)
            return chance(30) ? Int64.random(in: 0...30_000, using: &generator) : max(0, offset)
        }

        mutating func range() -> Range<Int64> {
            let start = offset()
            return start..<start + 1 + one([0, 10, 4052, 9000, 40_000])
        }

        mutating func onSlot() -> ModelOperation {
            let slot = slot()
            switch Int.random(in: 0..<15, using: &generator) {
            case 0, 1, 2: return .read(slot, offset(), one([1, 100, 5000, 20_000]))
            case 3, 4, 5: return .write(slot, offset(), bytes())
            case 6: return .append(slot, bytes())
            case 7, 8: return .truncate(slot, chance(20) ? 0 : offset())
            case 9: return .allocate(slot, range(), keepsSize: chance(50))
            case 10: return .punchHole(slot, range())
            case 11: return .zeroRange(slot, range(), keepsSize: chance(50))
            case 12: return .seek(slot, offset(), hole: chance(50))
            case 13: return chance(60) ? .status(slot) : .synchronize(slot, everything: chance(50))
            default:
                if chance(30) { return .setClassOfOpen(slot, one(ProtectionClass.allCases)) }
                return chance(50) ? .change(slot, change(fileModes)) : .close(slot)
            }
        }

        mutating func onFile() -> ModelOperation {
            switch Int.random(in: 0..<10, using: &generator) {
            case 0...6:
                let access = one([1, 2, 3, 3, 3, 3] as [UInt8])
                var options = access
                if access != 1, chance(15) { options |= OpenOptions.append.rawValue }
                if chance(60) { options |= OpenOptions.create.rawValue }
                if chance(10) { options |= OpenOptions.exclusive.rawValue }
                if access != 1, chance(15) { options |= OpenOptions.truncate.rawValue }
                if chance(15) { options |= OpenOptions.noFollow.rawValue }
                if chance(5) { options |= OpenOptions.synchronized.rawValue }
                return .open(
                    slot(), path(),
                    ModelOpening(
                        options: options, protectionClass: protectionClass(),
                        mode: chance(80) ? 0o600 : one(fileModes)))
            case 7, 8: return .readWhole(path())
            default:
                return .writeWhole(
                    path(), bytes(), protectionClass(), mode: chance(70) ? nil : one(fileModes),
                    exclusive: chance(15))
            }
        }

        mutating func onNames() -> ModelOperation {
            switch Int.random(in: 0..<20, using: &generator) {
            case 0, 1: return .link(path(), path())
            case 2, 3:
                let target = one([
                    path(), path(), "../" + path(), "/" + path(), "./" + path(), ".",
                    path() + "/../" + path(),
                ])
                return .symlink(path(), target: target)
            case 4: return .readlink(path())
            case 5: return .makeFifo(path(), mode: one(fileModes))
            case 6, 7, 8: return .remove(path())
            case 9, 10, 11: return .rename(path(), path(), .replace)
            case 12: return .rename(path(), path(), .exclusive)
            case 13: return .rename(path(), path(), .exchange)
            case 14, 15, 16:
                return .makeFolder(
                    path(), protectionClass(), mode: chance(70) ? 0o700 : one(folderModes))
            case 17, 18: return .removeFolder(path())
            default: return chance(80) ? .list(folder()) : .synchronizeFolder(folder())
            }
        }

        mutating func change(_ modes: [UInt32]) -> ModelChange {
            var change = ModelChange()
            if !modes.isEmpty, chance(50) { change.mode = one(modes) }
            if chance(30) { change.modification = one(ModelTime.all) }
            if chance(20) { change.access = one(ModelTime.all) }
            if changesOwner, chance(20) { change.owner = one([0, 1000]) }
            if changesOwner, chance(20) { change.group = one([0, 1000]) }
            return change
        }

        mutating func onAttributes() -> ModelOperation {
            let name = one(["one", "zwölf", "x", "long.name.of.an.attribute"])
            switch Int.random(in: 0..<14, using: &generator) {
            case 0, 1, 2: return .attributes(folder(), follows: chance(50))
            case 3, 4: return .setAttributes(path(), change(fileModes), follows: true)
            case 5: return .setAttributes(folder(), change(folderModes), follows: true)
            case 6:
                var change = change([])
                change.mode = nil
                return .setAttributes(path(), change, follows: false)
            case 7, 8:
                let value = ModelBytes(
                    seed: UInt8.random(in: 0...255, using: &generator), count: one([0, 1, 100]))
                return .setUserAttribute(
                    folder(), name, value, one([.set, .set, .create, .replace]))
            case 9: return .userAttribute(folder(), name)
            case 10: return .removeUserAttribute(folder(), name)
            case 11: return .userAttributeNames(folder())
            default: return .setClass(folder(), protectionClass())
            }
        }
    }
}
