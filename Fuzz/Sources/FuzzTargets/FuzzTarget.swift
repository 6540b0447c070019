/// A part of the library that reads what others wrote, fed with arbitrary bytes.
public enum FuzzTarget: String, CaseIterable, Sendable {
    /// The first 512 bytes of a file.
    case header
    /// One page of a file, its word, and the arithmetic of pages.
    case page
    /// The record of a folder.
    case folder
    /// The keybag and its slots.
    case keybag
    /// The marker.
    case marker
    /// The device key file.
    case device
    /// A written recovery key.
    case recovery
    /// Host names and the links of long names.
    case name
    /// The targets of symbolic links and the values of attributes.
    case value
    /// base64url.
    case base64
    /// Paths inside a volume.
    case path
    /// What an outbox keeps: items, their names, the log.
    case outbox
    /// Calls to a volume and to a plain folder.
    case operations
    /// The host's files of a volume, changed behind its back.
    case host

    /// Feeds it.
    ///
    /// - Throws: what is wrong; nothing else, whatever the bytes are.
    public func run(_ bytes: [UInt8]) throws {
        var input = ByteReader(bytes)
        switch self {
        case .header: try HeaderFuzzing.run(&input)
        case .page: try PageFuzzing.run(&input)
        case .folder: try FolderFuzzing.run(&input)
        case .keybag: try KeybagFuzzing.run(&input)
        case .marker: try MarkerFuzzing.run(&input)
        case .device: try DeviceFuzzing.run(&input)
        case .recovery: try RecoveryFuzzing.run(&input)
        case .name: try NameFuzzing.run(&input)
        case .value: try ValueFuzzing.run(&input)
        case .base64: try Base64Fuzzing.run(&input)
        case .path: try PathFuzzing.run(&input)
        case .outbox: try OutboxFuzzing.run(&input)
        case .operations: try OperationFuzzing.run(&input)
        case .host: try HostFuzzing.run(&input)
        }
    }
}

/// Something that the library must not do, whatever it reads.
public struct FuzzFault: Error, CustomStringConvertible {
    /// What it did.
    public let description: String

    /// Says what it did.
    public init(_ description: String) { self.description = description }

    /// Complains unless something holds.
    public static func unless(_ holds: Bool, _ description: @autoclosure () -> String) throws {
        if !holds { throw FuzzFault(description()) }
    }
}
