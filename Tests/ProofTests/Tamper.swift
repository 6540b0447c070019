import DataProtection

/// One thing that somebody who can write to the host does to a volume.
enum Tamper: CaseIterable {
    case flipByte, swapPages, cut, zeroPage, swapHeaders, foreignPage, flipKeybag, flipMarker
    case changeLink, removeEntry, renameEntry, moveEntry, setHint, appendPages, swapLinks
    case duplicateEntry

    /// Does it somewhere.
    func apply(to image: inout MemoryImage, using generator: inout some RandomNumberGenerator) {
        let files = image.inodes { $0.kind == .regular && $0.content.byteCount % 4096 == 0 }
            .filter { !image.name(of: $0).hasPrefix(".keybag") }
        let links = image.inodes { $0.kind == .symlink }
        let file = files.randomElement(using: &generator)!
        let other = files.randomElement(using: &generator)!
        let page = image.randomPage(of: file, using: &generator)
        switch self {
        case .flipByte: image.flip(file, using: &generator)
        case .swapPages:
            let second = image.randomPage(of: file, using: &generator)
            image.copyPage(
                image.page(second, of: file), image.page(page, of: file), second, page, file)
        case .cut:
            let size = image.nodes[file]!.content.byteCount
            let cut = Int64.random(in: 0...size, using: &generator)
            image.nodes[file]!.content.truncate(
                to: Bool.random(using: &generator) ? cut : cut / 4096 * 4096)
        case .zeroPage: image.write([UInt8](repeating: 0, count: 4096), page, of: file)
        case .swapHeaders:
            let one = Array(image.page(0, of: file).prefix(512))
            let two = Array(image.page(0, of: other).prefix(512))
            image.write(two, 0, of: file)
            image.write(one, 0, of: other)
        case .foreignPage:
            // The header stays: with it, a page would be a whole file of one page.
            let start = page == 0 ? 512 : 0
            let foreign = image.page(image.randomPage(of: other, using: &generator), of: other)
            image.write(
                Array(image.page(page, of: file)[..<start] + foreign[start...]), page,
                of: file)
        case .flipKeybag: flipReserved(".keybag-", in: &image, using: &generator)
        case .flipMarker: flipReserved(".marker", in: &image, using: &generator)
        case .changeLink:
            image.changeTarget(links.randomElement(using: &generator)!, using: &generator)
        case .swapLinks:
            let one = links.randomElement(using: &generator)!
            let two = links.randomElement(using: &generator)!
            let target = image.nodes[one]!.target
            image.nodes[one]!.target = image.nodes[two]!.target
            image.nodes[two]!.target = target
        case .setHint:
            image.nodes[file]!.attributes["user.seal.class"] = [
                UInt8.random(in: 0x30...0x39, using: &generator)
            ]
        case .appendPages:
            let end = image.nodes[file]!.content.byteCount / 4096
            image.write(image.page(page, of: file), end, of: file)
        case .removeEntry, .renameEntry, .moveEntry, .duplicateEntry:
            changeEntry(&image, using: &generator)
        }
    }

    private func flipReserved(
        _ prefix: String, in image: inout MemoryImage,
        using generator: inout some RandomNumberGenerator
    ) {
        let names = image.nodes[image.root]!.entries.filter { $0.key.name.hasPrefix(prefix) }
        // An earlier step may have renamed or removed it.
        guard let inode = names.values.sorted().randomElement(using: &generator) else { return }
        image.flip(inode, using: &generator)
    }

    private func changeEntry(
        _ image: inout MemoryImage, using generator: inout some RandomNumberGenerator
    ) {
        let folders = image.inodes { $0.kind == .folder }
        let folder = folders.randomElement(using: &generator)!
        guard
            let (name, inode) = image.nodes[folder]!.entries.sorted(by: { $0.value < $1.value })
                .randomElement(using: &generator)
        else { return }
        var changed = Array(name.name.utf8)
        let place = Int.random(in: 0..<changed.count, using: &generator)
        changed[place] = Array("ABab09_-.".utf8).randomElement(using: &generator)!
        let newName = HostNameKey(String(decoding: changed, as: UTF8.self))
        let isFile = image.nodes[inode]!.kind == .regular
        switch self {
        case .removeEntry: image.nodes[folder]!.entries[name] = nil
        case .moveEntry where isFile:
            let target = folders.randomElement(using: &generator)!
            image.nodes[folder]!.entries[name] = nil
            image.nodes[target]!.entries[name] = inode
        case .duplicateEntry where isFile:
            let node = image.nodes[inode]!
            image.nodes[image.nextInode] = node
            image.nodes[image.nextInode]!.inode = image.nextInode
            image.nodes[folder]!.entries[newName] = image.nextInode
            image.nextInode += 1
        default:
            guard image.nodes[folder]!.entries[newName] == nil else { return }
            image.nodes[folder]!.entries[name] = nil
            image.nodes[folder]!.entries[newName] = inode
        }
    }
}

extension MemoryImage {
    /// The inodes of some kind, in an order that is always the same.
    func inodes(where isWanted: (Node) -> Bool) -> [UInt64] {
        nodes.values.filter { isWanted($0) }.map(\.inode).sorted()
    }

    /// A name of an inode.
    func name(of inode: UInt64) -> String {
        for node in nodes.values {
            if let found = node.entries.first(where: { $0.value == inode }) {
                return found.key.name
            }
        }
        return ""
    }

    func page(_ page: Int64, of inode: UInt64) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        var span = bytes.mutableSpan
        _ = nodes[inode]!.content.read(into: &span, at: page * 4096)
        return bytes
    }

    mutating func write(_ bytes: [UInt8], _ page: Int64, of inode: UInt64) {
        nodes[inode]!.content.write(bytes.span, at: page * 4096)
    }

    mutating func copyPage(
        _ one: [UInt8], _ two: [UInt8], _ second: Int64, _ first: Int64, _ inode: UInt64
    ) {
        write(one, first, of: inode)
        write(two, second, of: inode)
    }

    func randomPage(of inode: UInt64, using generator: inout some RandomNumberGenerator) -> Int64 {
        Int64.random(in: 0...max(0, nodes[inode]!.content.byteCount / 4096 - 1), using: &generator)
    }

    mutating func flip(_ inode: UInt64, using generator: inout some RandomNumberGenerator) {
        let count = nodes[inode]!.content.byteCount
        guard count > 0 else { return }
        let place = Int64.random(in: 0..<count, using: &generator)
        var byte: [UInt8] = [0]
        var span = byte.mutableSpan
        _ = nodes[inode]!.content.read(into: &span, at: place)
        byte[0] ^= UInt8.random(in: 1...255, using: &generator)
        nodes[inode]!.content.write(byte.span, at: place)
    }

    mutating func changeTarget(_ inode: UInt64, using generator: inout some RandomNumberGenerator) {
        var target = Array(nodes[inode]!.target.utf8)
        let place = Int.random(in: 0..<target.count, using: &generator)
        target[place] = Array("ABCabc019_-/=".utf8).randomElement(using: &generator)!
        nodes[inode]!.target = String(decoding: target, as: UTF8.self)
    }
}
