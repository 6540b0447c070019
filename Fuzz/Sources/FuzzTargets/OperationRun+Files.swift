import DataProtection

// Open files.

extension OperationRun {
    static func path(_ input: inout ByteReader) -> String {
        let choice = Int(input.byte())
        let parts = [choice & 3, choice >> 2 & 3, choice >> 4 & 3].map { names[$0] }
        let count = [1, 1, 2, 3][choice >> 6]
        return parts.prefix(count).joined(separator: "/")
    }

    static func protectionClass(_ input: inout ByteReader) -> ProtectionClass? {
        ProtectionClass(rawValue: input.byte() % 5)
    }

    /// A place that is near a boundary of pages more often than not.
    static func offset(_ input: inout ByteReader) -> Int {
        let edges = [0, 1, 3539, 3540, 3541, 4096, 7592, 7593, 11_644, 20_000, 70_000, 200_000]
        let choice = Int(input.byte())
        return choice < 192 ? max(0, edges[choice % 12] + choice / 64 - 1) : input.below(30_000)
    }

    static func content(_ input: inout ByteReader) -> [UInt8] {
        let seed = input.byte()
        let counts = [0, 1, 5, 100, 3540, 4052, 8000, 9000]
        let count = counts[Int(seed & 7)]
        return (0..<count).map { UInt8(truncatingIfNeeded: $0) &* 7 &+ seed }
    }

    mutating func open(_ input: inout ByteReader) throws {
        let path = Self.path(&input)
        let options = OpenOptions(rawValue: input.byte() & 63)
        let asked = Self.protectionClass(&input)
        guard handles.count < 16 else { return }
        let model = model
        let volume = volume
        var opened: ProtectedFile?
        var node: VolumeModel.Node?
        try compare(
            "opening \(path.prefix(9)) \(options.rawValue)",
            {
                opened = try volume.openFile(path, options, class: asked)
                return opened?.protectionClass
            },
            { () throws(Refusal) in
                node = try Self.open(path, options, asked, model)
                return node?.protectionClass
            })
        if let opened, let node {
            handles.append(Handle(file: opened, node: node, options: options))
        }
    }

    private static func open(
        _ path: String, _ options: OpenOptions, _ asked: ProtectionClass?, _ model: VolumeModel
    ) throws(Refusal) -> VolumeModel.Node {
        guard options.contains(.write) || options.isDisjoint(with: [.truncate, .append]) else {
            throw Refusal(.invalidArgument)
        }
        let place = try model.place(path)
        guard let node = place.node else {
            guard options.contains(.create) else { throw Refusal(.missing) }
            let chosen = model.classOfNewFile(in: place.parent, asked)
            try model.requireCreating(chosen)
            let made = VolumeModel.Node(folder: false, chosen)
            place.parent.entries?[place.name] = made
            return made
        }
        if options.isSuperset(of: [.create, .exclusive]) { throw Refusal(.exists) }
        if node.isFolder { throw Refusal(.isFolder) }
        try model.requireOpening(node.protectionClass)
        if options.contains(.truncate) { node.content = [] }
        return node
    }

    mutating func useHandle(_ choice: UInt8, _ input: inout ByteReader) throws {
        guard !handles.isEmpty else { return }
        let index = input.below(handles.count)
        let handle = handles[index]
        let (file, node, options) = (handle.file, handle.node, handle.options)
        let model = model
        let require = { (wanted: OpenOptions) throws(Refusal) in
            if !handle.isOpen { throw Refusal(.closed) }
            if !options.isSuperset(of: wanted) { throw Refusal(.wrongAccess) }
        }
        switch choice {
        case 3:
            let (offset, count) = (Self.offset(&input), input.below(9000))
            try compare("reading", { try file.read(at: Int64(offset), count: count) }) {
                () throws(Refusal) in
                try require(.read)
                try model.requireHandle(node.protectionClass)
                return Array(node.content.dropFirst(offset).prefix(count))
            }
        case 4, 5:
            let offset = choice == 5 || options.contains(.append) ? nil : Self.offset(&input)
            let bytes = Self.content(&input)
            try compare(
                "writing",
                {
                    if choice == 5 { return try file.append(bytes) }
                    try file.write(bytes, at: Int64(offset ?? 7))
                    return 0
                },
                { () throws(Refusal) in
                    try require(.write)
                    try model.requireHandle(node.protectionClass)
                    let place = offset ?? node.content.count
                    if !bytes.isEmpty { node.write(bytes, at: place) }
                    return choice == 5 ? Int64(place) : 0
                })
        case 6:
            let size = Self.offset(&input)
            try compare(
                "cutting",
                {
                    try file.truncate(to: Int64(size)); return file.size
                }
            ) {
                () throws(Refusal) in
                try require(.write)
                try model.requireHandle(node.protectionClass)
                node.truncate(to: size)
                return Int64(size)
            }
        case 7 where input.byte() & 1 == 0:
            guard let asked = Self.protectionClass(&input) else { return }
            try compare(
                "the class of a handle",
                {
                    try file.setProtectionClass(asked); return true
                }
            ) {
                () throws(Refusal) in
                try require([])
                try model.setClass(asked, of: node)
                return true
            }
        case 7:
            try compare(
                "syncing",
                {
                    try file.synchronize(); return file.size
                }
            ) {
                () throws(Refusal) in
                try require([])
                return Int64(node.content.count)
            }
        default:
            file.close()
            handles[index].isOpen = false
            if handles.count > 8 { handles.remove(at: index) }
        }
    }
}

extension VolumeModel {
    func setClass(_ asked: ProtectionClass, of node: Node) throws(Refusal) {
        if asked == node.protectionClass { return }
        try requireOpening(node.protectionClass)
        try requireCreating(asked)
        node.protectionClass = asked
    }
}

extension VolumeModel.Node {
    func truncate(to size: Int) {
        content = Array(content.prefix(size))
        content += [UInt8](repeating: 0, count: size - content.count)
    }

    func write(_ bytes: [UInt8], at offset: Int) {
        if offset > content.count { truncate(to: offset) }
        let end = min(content.count, offset + bytes.count)
        content.replaceSubrange(offset..<end, with: bytes)
    }
}
