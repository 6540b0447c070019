private import Cryptography

/// The first 512 bytes of a file (docs/format.md 8.2).
package struct FileHeader: Hashable, Sendable {
    /// When the file's key exists.
    package var protectionClass: ProtectionClass
    /// The AEAD of this file's pages, as the format numbers it.
    package var cipher: UInt8
    /// The volume it belongs to.
    package var volumeIdentifier: [UInt8]
    /// Its own identifier, new with every file key.
    package var fileIdentifier: [UInt8]
    /// The writer's half of the key agreement of class B; zeros otherwise.
    package var ephemeralPublicKey: [UInt8]
    /// The file key under its class key.
    package var wrappedKey: [UInt8]
    /// Whether pages of zeros before the end are holes.
    package var isSparse: Bool
    /// Authenticates the flags under the file key.
    package var flagsCode: [UInt8]
    /// The logical permission bits, where the host's cannot hold them.
    package var keptMode: UInt32?
    /// Authenticates the kept mode under the metadata root.
    package var modeCode: [UInt8]

    private static let magic = Array("SDPFILE1".utf8)
    private static let checksumStart = 480

    /// The header as stored: 512 bytes.
    package var bytes: [UInt8] {
        var bytes = boundBytes
        bytes.append(contentsOf: wrappedKey)
        bytes.append(contentsOf: flagsField)
        bytes.append(contentsOf: flagsCode)
        bytes.append(contentsOf: modeField)
        bytes.append(contentsOf: modeCode)
        bytes.appendZeros(Self.checksumStart - bytes.count)
        bytes.append(contentsOf: SHA256.hash(bytes.span))
        return bytes
    }

    /// The fields that the wrap of the file key is bound to: bytes 0 to 80.
    package var boundBytes: [UInt8] {
        var bytes = Self.magic
        bytes.reserveCapacity(PageLayout.headerByteCount)
        bytes.append(protectionClass.rawValue)
        bytes.append(cipher)
        bytes.appendZeros(6)
        bytes.append(contentsOf: volumeIdentifier)
        bytes.append(contentsOf: fileIdentifier)
        bytes.append(contentsOf: ephemeralPublicKey)
        return bytes
    }

    /// The flags as stored.
    package var flagsField: [UInt8] { [UInt8](littleEndian: UInt32(isSparse ? 1 : 0)) }

    /// The kept mode as stored.
    package var modeField: [UInt8] {
        [UInt8](littleEndian: keptMode.map { $0 & 0o7777 | 0x8000_0000 } ?? 0)
    }

    /// Describes a header whose codes are not made yet.
    package init(
        protectionClass: ProtectionClass, cipher: UInt8, volumeIdentifier: [UInt8],
        fileIdentifier: [UInt8]
    ) {
        self.protectionClass = protectionClass
        self.cipher = cipher
        self.volumeIdentifier = volumeIdentifier
        self.fileIdentifier = fileIdentifier
        ephemeralPublicKey = [UInt8](repeating: 0, count: 32)
        wrappedKey = [UInt8](repeating: 0, count: 72)
        isSparse = false
        flagsCode = [UInt8](repeating: 0, count: 16)
        keptMode = nil
        modeCode = [UInt8](repeating: 0, count: 16)
    }

    /// Reads a header.
    ///
    /// - Parameter bytes: at least 512 bytes.
    /// - Throws: `FormatError.damaged` when it is not one.
    package init(bytes: [UInt8]) throws(FormatError) {
        let checksum = SHA256.hash(bytes.field(0..<Self.checksumStart).span)
        guard bytes.field(0..<8) == Self.magic else {
            throw .damaged("this is no file of a volume")
        }
        guard bytes.field(480..<512) == checksum else { throw .damaged("the header is damaged") }
        let flags: UInt32 = bytes.integer(at: 152)
        let mode: UInt32 = bytes.integer(at: 172)
        guard let protectionClass = ProtectionClass(rawValue: bytes[8]),
            AEADAlgorithm(rawValue: bytes[9]) != nil,
            bytes.isZero(in: 10..<16), bytes.isZero(in: 192..<480), flags <= 1,
            mode == 0 || mode & 0xFFFF_F000 == 0x8000_0000,
            protectionClass == .completeUnlessOpen || bytes.isZero(in: 48..<80)
        else { throw .damaged("the header holds what no writer writes") }
        self.protectionClass = protectionClass
        cipher = bytes[9]
        volumeIdentifier = bytes.field(16..<32)
        fileIdentifier = bytes.field(32..<48)
        ephemeralPublicKey = bytes.field(48..<80)
        wrappedKey = bytes.field(80..<152)
        isSparse = flags == 1
        flagsCode = bytes.field(156..<172)
        keptMode = mode == 0 ? nil : mode & 0o7777
        modeCode = bytes.field(176..<192)
    }
}
