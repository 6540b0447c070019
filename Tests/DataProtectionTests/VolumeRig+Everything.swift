import Cryptography
import DataProtection
import TestSupport
import Testing

extension VolumeRig {
    /// A volume with one thing of each kind, closed.
    static func withEverything() throws -> VolumeRig {
        let rig = try VolumeRig()
        let volume = rig.volume
        try volume.makeFolder("d")
        try volume.makeFolder("empty")
        try volume.write(pattern(20_000), to: "d/f", class: .complete, mode: 0o040)
        try volume.setUserAttribute("colour", to: Array("red".utf8), of: "d/f")
        try volume.setUserAttribute("colour", to: Array("blue".utf8), of: "d")
        try volume.link("d/f", to: "g")
        try volume.makeSymbolicLink("link", target: "d/f")
        try volume.makeNode("pipe", .fifo, mode: 0o600)
        try volume.write([1], to: DamagedThing.long)
        return rig
    }

    /// Where on the host an entry is.
    func hostPlace(of path: String) throws -> (any BackingFolder, String) {
        let identity = try volume.attributes(of: path).identity
        var folders = [store.root]
        while let folder = folders.popLast() {
            for entry in try folder.list() {
                if try folder.attributes(of: entry.name).identity.inode == identity {
                    return (folder, entry.name)
                }
                if entry.kind == .folder { folders.append(try folder.openFolder(entry.name)) }
            }
        }
        throw ProtectionError.missing
    }

    /// The host file of a file.
    func file(_ path: String) throws -> any BackingFile {
        let (folder, name) = try hostPlace(of: path)
        return try folder.openFile(name, writable: true)
    }

    /// Changes one byte of a host file.
    func flip(_ path: String, at offset: Int64) throws {
        let file = try file(path)
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        _ = try file.read(into: &span, at: offset)
        try file.write([byte[0] ^ 1].span, at: offset)
    }

    /// Changes one byte of a header, and its checksum with it.
    func changeHeader(_ path: String, at offset: Int64) throws {
        try flip(path, at: offset)
        let file = try file(path)
        var bytes = [UInt8](repeating: 0, count: 480)
        var span = bytes.mutableSpan
        _ = try file.read(into: &span, at: 0)
        try file.write(SHA256.hash(bytes.span).span, at: 480)
    }

    /// Changes the one attribute that a host file or folder has.
    func changeAttribute(
        _ path: String, _ change: (String, [UInt8]) -> (String, [UInt8])
    ) throws {
        let (folder, name) = try hostPlace(of: path)
        let isFolder = try folder.attributes(of: name).kind == .folder
        let host =
            isFolder
            ? try folder.openFolder(name).userAttributes
            : try folder.openFile(name, writable: true).userAttributes
        let attribute = try #require(try host.names().first { !$0.hasPrefix("user.seal.") })
        let (newName, value) = change(attribute, try #require(try host.value(of: attribute)))
        try host.remove(attribute)
        try host.set(newName, to: value, rule: .set)
    }
}
