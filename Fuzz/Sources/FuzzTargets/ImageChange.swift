import Cryptography
import DataProtection

extension MemoryImage {
    private static let pageByteCount: Int64 = 4096

    /// Does one thing to the host's files, as the input says.
    mutating func change(_ input: inout ByteReader) {
        let inodes = nodes.keys.sorted()
        let inode = inodes[input.below(inodes.count)]
        let other = inodes[input.below(inodes.count)]
        switch input.byte() % 12 {
        case 0, 1, 2: changeContent(of: inode, other, &input)
        case 3, 4: changeTarget(of: inode, &input)
        case 5:
            let target = nodes[other]?.target ?? ""
            if !target.isEmpty { nodes[inode]?.target = target }
        case 6, 7: changeEntry(of: inode, other, &input)
        case 8:
            let kinds: [HostKind] = [.regular, .folder, .symlink, .fifo, .socket, .blockDevice]
            if inode != root { nodes[inode]?.kind = kinds[input.below(kinds.count)] }
        case 9: changeAttribute(of: inode, other, &input)
        case 10: nodes[inode]?.status.mode = UInt32(input.number(UInt16.self) & 0o7777)
        default:
            let time = HostTime(seconds: Int64(input.number(UInt32.self)), nanoseconds: 0)
            nodes[inode]?.status.modificationTime = time
        }
    }

    private mutating func changeAttribute(
        of inode: UInt64, _ other: UInt64, _ input: inout ByteReader
    ) {
        let names = (nodes[inode]?.attributes ?? [:]).keys.sorted { $0.name < $1.name }
        switch input.byte() % 4 {
        case 0: nodes[inode]?.attributes["user.seal.class"] = input.take(input.below(3))
        case 1:
            let foreign = nodes[other]?.attributes ?? [:]
            nodes[inode]?.attributes.merge(foreign) { _, new in new }
        case 2 where !names.isEmpty:
            let name = names[input.below(names.count)]
            guard var value = nodes[inode]?.attributes[name] else { return }
            input.editOnce(&value, keepsCount: false)
            nodes[inode]?.attributes[name] = value
        case 3 where !names.isEmpty:
            let name = names[input.below(names.count)]
            var changed = Array(name.name.utf8)
            input.editOnce(&changed)
            guard let text = String(validating: changed, as: UTF8.self), text.hasPrefix("user."),
                !changed.contains(0)
            else { return }
            let value = nodes[inode]?.attributes[name]
            nodes[inode]?.attributes[HostNameKey(text)] = value
        default: break
        }
    }

    private mutating func changeContent(
        of inode: UInt64, _ other: UInt64, _ input: inout ByteReader
    ) {
        guard var content = nodes[inode]?.content, let foreign = nodes[other]?.content else {
            return
        }
        let pages = content.byteCount / Self.pageByteCount
        let page = pages > 0 ? Int64(input.byte()) % pages : 0
        switch input.byte() % 8 {
        case 0, 1:
            var bytes = content.page(page)
            input.editOnce(&bytes)
            content.write(bytes.span, at: page * Self.pageByteCount)
        case 2: content.truncate(to: page * Self.pageByteCount)
        case 3: content.truncate(to: Int64(input.number(UInt16.self)))
        case 4: content.truncate(to: Int64(input.number(UInt64.self) >> 21))
        case 5:
            let zeros = [UInt8](repeating: 0, count: Int(Self.pageByteCount))
            content.write(zeros.span, at: page * Self.pageByteCount)
        case 6:
            // The header of another file.
            let bytes = Array(foreign.page(0).prefix(512))
            content.write(bytes.span, at: 0)
        default:
            let count = foreign.byteCount / Self.pageByteCount
            let bytes = foreign.page(count > 0 ? Int64(input.byte()) % count : 0)
            content.write(bytes.span, at: page * Self.pageByteCount)
        }
        nodes[inode]?.content = content
        fixChecksum(of: inode, input.byte())
    }

    /// Puts the checksum of a header or keybag right, so that what is behind it is looked at.
    private mutating func fixChecksum(of inode: UInt64, _ choice: UInt8) {
        guard var content = nodes[inode]?.content else { return }
        let end = choice & 3 == 1 ? 480 : choice & 3 == 2 ? 1552 : 0
        guard end > 0, content.byteCount >= Self.pageByteCount else { return }
        let hash = SHA256.hash(content.page(0).field(0..<end).span)
        content.write(hash.span, at: Int64(end))
        nodes[inode]?.content = content
    }

    private mutating func changeTarget(of inode: UInt64, _ input: inout ByteReader) {
        guard let target = nodes[inode]?.target else { return }
        var bytes = Array(target.utf8)
        input.editOnce(&bytes, keepsCount: false)
        guard !bytes.contains(0), !bytes.isEmpty else { return }
        nodes[inode]?.target = String(decoding: bytes, as: UTF8.self)
    }

    /// Removes, renames, moves or doubles an entry. No folder ever gets into itself: no host lets
    /// it.
    private mutating func changeEntry(
        of folder: UInt64, _ target: UInt64, _ input: inout ByteReader
    ) {
        let names = (nodes[folder]?.entries ?? [:]).keys.sorted { $0.name < $1.name }
        guard nodes[folder]?.kind == .folder, !names.isEmpty else { return }
        let name = names[input.below(names.count)]
        guard let inode = nodes[folder]?.entries[name] else { return }
        let isFolder = nodes[inode]?.kind == .folder || !(nodes[inode]?.entries ?? [:]).isEmpty
        let second = names[input.below(names.count)]
        switch input.byte() % 5 {
        case 0: nodes[folder]?.entries[name] = nil
        case 1:
            var bytes = Array(name.name.utf8)
            input.editOnce(&bytes, keepsCount: false)
            guard (1...255).contains(bytes.count), !bytes.contains(0), !bytes.contains(47),
                bytes != [46], bytes != [46, 46], String(validating: bytes, as: UTF8.self) != nil
            else { return }
            nodes[folder]?.entries[name] = nil
            nodes[folder]?.entries[HostNameKey(String(decoding: bytes, as: UTF8.self))] = inode
        case 2 where !isFolder && nodes[target]?.kind == .folder:
            nodes[folder]?.entries[name] = nil
            nodes[target]?.entries[name] = inode
        case 3 where !isFolder && nodes[target]?.kind == .folder:
            nodes[target]?.entries[name] = inode
        case 4:
            let exchanged = nodes[folder]?.entries[second]
            nodes[folder]?.entries[name] = exchanged
            nodes[folder]?.entries[second] = inode
        default: break
        }
    }
}
