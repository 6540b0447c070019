private import Cryptography

/// A keybag as stored (docs/format.md 5).
package struct KeybagRecord: Hashable, Sendable {
    /// The volume it opens.
    package var volumeIdentifier: [UInt8]
    /// Counts changes, from 1.
    package var generation: UInt64
    /// The AEAD of new files and of this keybag's wraps.
    package var cipher: UInt8
    /// How classes survive the habits of programs.
    package var ruleSet: RuleSet
    /// The class of new files where no folder says otherwise.
    package var defaultClass: ProtectionClass
    /// Whether names are readable only after the first unlock.
    package var hasPrivateNames: Bool
    /// Whether wrong passcodes are answered with Apple's delays.
    package var delaysPasscodes: Bool
    /// The device whose key opens the volume root.
    package var deviceIdentifier: [UInt8]
    /// What class B files are made with.
    package var publicKey: [UInt8]
    /// The volume root under the device key.
    package var rootUnderDevice: [UInt8]
    /// The volume root under the keybag secret.
    package var rootUnderKeybag: [UInt8]
    /// The ways in; at most eight.
    package private(set) var slots: [KeybagSlot]
    /// Authenticates everything before it.
    package var code: [UInt8]

    /// The length of a keybag on the host, in bytes.
    package static let byteCount = 4096
    /// How many slots there can be.
    package static let slotCount = 8

    private static let magic = Array("SDPKEYBG".utf8)
    private static let slotStart = 240
    private static let codeStart = slotStart + slotCount * KeybagSlot.byteCount
    private static let checksumStart = codeStart + 32

    /// Everything that the code authenticates: bytes 0 to 1520.
    package var authenticatedBytes: [UInt8] {
        var bytes = Self.magic
        bytes.reserveCapacity(Self.byteCount)
        bytes.append(littleEndian: formatVersion)
        bytes.appendZeros(4)
        bytes.append(contentsOf: volumeIdentifier)
        bytes.append(littleEndian: generation)
        bytes.append(cipher)
        bytes.append(ruleSet.rawValue)
        bytes.append(defaultClass.rawValue)
        bytes.append((hasPrivateNames ? 1 : 0) | (delaysPasscodes ? 2 : 0))
        bytes.appendZeros(4)
        bytes.append(contentsOf: deviceIdentifier)
        bytes.append(contentsOf: publicKey)
        bytes.append(contentsOf: rootUnderDevice)
        bytes.append(contentsOf: rootUnderKeybag)
        for place in 0..<Self.slotCount {
            let slot = slots.first { $0.place == place }
            let empty = [UInt8](repeating: 0, count: KeybagSlot.byteCount)
            bytes.append(contentsOf: slot?.bytes ?? empty)
        }
        bytes.appendZeros(Self.codeStart - bytes.count)
        return bytes
    }

    /// The keybag as stored: 4096 bytes.
    package var bytes: [UInt8] {
        var bytes = authenticatedBytes + code
        bytes.append(contentsOf: SHA256.hash(bytes.span))
        bytes.appendZeros(Self.byteCount - bytes.count)
        return bytes
    }

    /// Describes a new keybag without slots, wraps and code.
    package init(
        volumeIdentifier: [UInt8], cipher: UInt8, ruleSet: RuleSet, defaultClass: ProtectionClass,
        hasPrivateNames: Bool, delaysPasscodes: Bool, deviceIdentifier: [UInt8], publicKey: [UInt8]
    ) {
        self.volumeIdentifier = volumeIdentifier
        generation = 0
        self.cipher = cipher
        self.ruleSet = ruleSet
        self.defaultClass = defaultClass
        self.hasPrivateNames = hasPrivateNames
        self.delaysPasscodes = delaysPasscodes
        self.deviceIdentifier = deviceIdentifier
        self.publicKey = publicKey
        rootUnderDevice = [UInt8](repeating: 0, count: 72)
        rootUnderKeybag = [UInt8](repeating: 0, count: 72)
        slots = []
        code = [UInt8](repeating: 0, count: 32)
    }

    /// Reads a keybag; the code is not checked, since its key is inside.
    ///
    /// - Throws: `FormatError.newerVersion`, before anything else is looked at; `damaged`.
    package init(bytes: [UInt8]) throws(FormatError) {
        guard bytes.count >= 12, bytes.field(0..<8) == Self.magic else {
            throw .damaged("this is no keybag")
        }
        let version: UInt32 = bytes.integer(at: 8)
        guard version <= formatVersion else { throw .newerVersion(version) }
        guard version == formatVersion, bytes.count == Self.byteCount,
            bytes.field(Self.checksumStart..<Self.checksumStart + 32)
                == SHA256.hash(bytes.field(0..<Self.checksumStart).span)
        else { throw .damaged("the keybag is damaged") }
        guard AEADAlgorithm(rawValue: bytes[40]) != nil, let ruleSet = RuleSet(rawValue: bytes[41]),
            let defaultClass = ProtectionClass(rawValue: bytes[42]), bytes[43] <= 3,
            bytes.integer(at: 32, as: UInt64.self) > 0,
            bytes.isZero(in: 12..<16), bytes.isZero(in: 44..<48),
            bytes.isZero(in: Self.checksumStart + 32..<Self.byteCount)
        else { throw .damaged("the keybag holds what no writer writes") }
        volumeIdentifier = bytes.field(16..<32)
        generation = bytes.integer(at: 32)
        cipher = bytes[40]
        self.ruleSet = ruleSet
        self.defaultClass = defaultClass
        hasPrivateNames = bytes[43] & 1 != 0
        delaysPasscodes = bytes[43] & 2 != 0
        deviceIdentifier = bytes.field(48..<64)
        publicKey = bytes.field(64..<96)
        rootUnderDevice = bytes.field(96..<168)
        rootUnderKeybag = bytes.field(168..<240)
        slots = []
        code = bytes.field(Self.codeStart..<Self.checksumStart)
        for index in 0..<Self.slotCount {
            let start = Self.slotStart + index * KeybagSlot.byteCount
            let slot = try KeybagSlot.read(bytes.field(start..<start + KeybagSlot.byteCount))
            guard var slot else { continue }
            slot.place = index
            slots.append(slot)
        }
    }

    /// Puts a slot into the first free place; where there is none, into the last.
    package mutating func add(_ slot: KeybagSlot) {
        var slot = slot
        let free = (0..<Self.slotCount).first { place in !slots.contains { $0.place == place } }
        slot.place = free ?? Self.slotCount - 1
        slots.removeAll { $0.place == slot.place }
        slots.append(slot)
    }

    /// Empties the places of some slots.
    package mutating func removeSlots(where isRemoved: (KeybagSlot) -> Bool) {
        slots.removeAll(where: isRemoved)
    }
}
