import Cryptography
import DataProtection

/// A keybag is read back as it was, and opens only as it was written.
enum KeybagFuzzing {
    private static let samples = AEADAlgorithm.both.map { FixedKeys.of($0) }

    static func run(_ input: inout ByteReader) throws {
        switch input.byte() % 4 {
        case 0:
            let bytes = input.rest()
            try read(bytes)
            try read(withChecksum(bytes.fitted(to: KeybagRecord.byteCount)))
        case 1: try readSlot(&input)
        case 2: try readCopies(&input)
        default:
            let keys = samples[input.below(samples.count)]
            var bytes = keys.keybag.record.bytes
            input.edit(&bytes)
            try read(bytes)
            bytes = withChecksum(bytes)
            guard let record = try? KeybagRecord(bytes: bytes) else { return }
            try open(record, keys)
        }
    }

    private static func withChecksum(_ bytes: [UInt8]) -> [UInt8] {
        var bytes = bytes
        bytes.replace(at: 1552, with: SHA256.hash(bytes.field(0..<1552).span))
        return bytes
    }

    private static func read(_ bytes: [UInt8]) throws {
        guard let record = try? KeybagRecord(bytes: bytes) else { return }
        try FuzzFault.unless(record.bytes == bytes, "a keybag is not what was read")
    }

    private static func readSlot(_ input: inout ByteReader) throws {
        let bytes = input.rest().fitted(to: KeybagSlot.byteCount)
        guard let slot = try? KeybagSlot.read(bytes) else { return }
        try FuzzFault.unless(slot.bytes == bytes, "a slot is not what was read")
        try FuzzFault.unless(
            slot.memoryByteCount <= 4 << 30 && slot.passCount <= 64, "a slot costs too much")
    }

    /// Nothing opens but what was written; then the passcode does too.
    private static func open(_ record: KeybagRecord, _ keys: FixedKeys) throws {
        let keybag = Keybag(record: record)
        do { _ = try keybag.root(deviceKey: keys.device) } catch { return }
        try FuzzFault.unless(
            record == keys.keybag.record, "a keybag opened that nobody wrote")
        _ = try keybag.secret(passcode: Passcode(FixedKeys.passcode), deviceKey: keys.device)
    }

    /// Two copies, each as it was or changed: what is chosen is one of those that are whole.
    private static func readCopies(_ input: inout ByteReader) throws {
        let keys = samples[0]
        var newer = keys.keybag
        try newer.sign(key: keys.keyring.keybagKey)
        let store = MemoryStore()
        var whole: [KeybagRecord] = []
        for (name, keybag) in zip(ReservedName.keybags, [keys.keybag, newer]) {
            let changes = input.byte() & 3
            if changes == 0 { continue }
            var bytes = keybag.record.bytes
            for _ in 1..<changes { input.editOnce(&bytes, keepsCount: false) }
            if changes == 3 { bytes = withChecksum(bytes.fitted(to: KeybagRecord.byteCount)) }
            let file = try store.root.createFile(name, mode: 0o600)
            try file.write(bytes.span, at: 0)
            if let record = try? KeybagRecord(bytes: bytes) { whole.append(record) }
        }
        guard let found = try? KeybagFiles(folder: store.root).read() else {
            let hasTwoVolumes = Set(whole.map(\.volumeIdentifier)).count > 1
            return try FuzzFault.unless(whole.isEmpty || hasTwoVolumes, "a whole copy is not used")
        }
        try FuzzFault.unless(
            whole.contains(found.record)
                && whole.allSatisfy { $0.generation <= found.record.generation },
            "the wrong copy is used")
        try open(found.record, newer: newer.record, keys)
    }

    private static func open(
        _ record: KeybagRecord, newer: KeybagRecord, _ keys: FixedKeys
    ) throws {
        do { _ = try Keybag(record: record).root(deviceKey: keys.device) } catch { return }
        try FuzzFault.unless(
            record == keys.keybag.record || record == newer, "a keybag opened that nobody wrote")
    }
}
