/// One way to the keybag secret (docs/format.md 5).
package struct KeybagSlot: Hashable, Sendable {
    /// What opens a slot.
    package enum Kind: UInt8, Sendable {
        case passcode = 1
        case recoveryKey = 2
        case deviceKeyAlone = 3
    }

    /// What opens it.
    package var kind: Kind
    /// Argon2id passes; zero unless a passcode opens it.
    package var passCount: UInt32
    /// Argon2id memory, in bytes; zero unless a passcode opens it.
    package var memoryByteCount: UInt64
    /// Argon2id salt; zeros unless a passcode opens it.
    package var salt: [UInt8]
    /// Its own identifier.
    package var identifier: [UInt8]
    /// The keybag secret under the slot key.
    package var wrappedSecret: [UInt8]
    /// Which of the eight places it has: empty ones may come before it.
    package internal(set) var place = 0

    /// The length of a slot, in bytes.
    package static let byteCount = 160

    /// Describes a slot whose secret is not wrapped yet.
    package init(
        kind: Kind, passCount: UInt32 = 0, memoryByteCount: UInt64 = 0,
        salt: [UInt8] = [UInt8](repeating: 0, count: 16), identifier: [UInt8]
    ) {
        self.kind = kind
        self.passCount = passCount
        self.memoryByteCount = memoryByteCount
        self.salt = salt
        self.identifier = identifier
        wrappedSecret = [UInt8](repeating: 0, count: 72)
    }

    /// Bytes 0 to 48, to which the wrap is bound.
    package var boundBytes: [UInt8] {
        var bytes: [UInt8] = [kind.rawValue, 0, 0, 0]
        bytes.append(littleEndian: passCount)
        bytes.append(littleEndian: memoryByteCount)
        bytes.append(contentsOf: salt)
        bytes.append(contentsOf: identifier)
        return bytes
    }

    /// The slot as stored.
    package var bytes: [UInt8] {
        var bytes = boundBytes + wrappedSecret
        bytes.appendZeros(Self.byteCount - bytes.count)
        return bytes
    }

    /// Reads a slot of 160 bytes.
    ///
    /// - Returns: `nil` when it is empty.
    /// - Throws: `FormatError.damaged` when no writer makes it.
    package static func read(_ bytes: [UInt8]) throws(FormatError) -> KeybagSlot? {
        if bytes[0] == 0 {
            guard bytes.isZero(in: 0..<byteCount) else {
                throw .damaged("an empty slot is not empty")
            }
            return nil
        }
        guard let kind = Kind(rawValue: bytes[0]), bytes.isZero(in: 1..<4),
            bytes.isZero(in: 120..<160)
        else { throw .damaged("a slot of the keybag is malformed") }
        var slot = KeybagSlot(
            kind: kind, passCount: bytes.integer(at: 4), memoryByteCount: bytes.integer(at: 8),
            salt: bytes.field(16..<32), identifier: bytes.field(32..<48))
        slot.wrappedSecret = bytes.field(48..<120)
        guard slot.hasSaneCost else { throw .damaged("a slot's cost is out of range") }
        return slot
    }

    private var hasSaneCost: Bool {
        guard kind == .passcode else {
            return passCount == 0 && memoryByteCount == 0 && salt.allSatisfy { $0 == 0 }
        }
        return (1...64).contains(passCount) && (8192...4_294_967_296).contains(memoryByteCount)
            && memoryByteCount % 1024 == 0
    }
}
