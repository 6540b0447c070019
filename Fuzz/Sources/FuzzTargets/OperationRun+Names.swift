import DataProtection

// Names and whole files.

extension OperationRun {
    mutating func usePath(_ choice: UInt8, _ input: inout ByteReader) throws {
        let path = Self.path(&input)
        let model = model
        let volume = volume
        switch choice {
        case 9: try rename(path, Self.path(&input))
        case 10:
            try compare(
                "removing \(path)",
                {
                    try volume.removeFile(path); return true
                }
            ) {
                () throws(Refusal) in
                let place = try model.place(path)
                guard let node = place.node else { throw Refusal(.missing) }
                if node.isFolder { throw Refusal(.isFolder) }
                place.parent.entries?[place.name] = nil
                return true
            }
        case 11:
            let asked = Self.protectionClass(&input)
            try compare(
                "a folder",
                {
                    try volume.makeFolder(path, class: asked); return true
                }
            ) {
                () throws(Refusal) in
                let place = try model.place(path)
                if place.node != nil { throw Refusal(.exists) }
                place.parent.entries?[place.name] = VolumeModel.Node(
                    folder: true, asked ?? place.parent.protectionClass)
                return true
            }
        case 12:
            try compare(
                "removing folder",
                {
                    try volume.removeFolder(path); return true
                }
            ) {
                () throws(Refusal) in
                let place = try model.place(path)
                guard let node = place.node else { throw Refusal(.missing) }
                guard let entries = node.entries else { throw Refusal(.notFolder) }
                guard entries.isEmpty else { throw Refusal(.notEmpty) }
                place.parent.entries?[place.name] = nil
                return true
            }
        case 13:
            try compare("listing", { try volume.list(path).map(\.name) }) { () throws(Refusal) in
                guard let entries = try model.existing(path).entries else {
                    throw Refusal(.notFolder)
                }
                return entries.keys.sorted()
            }
        case 14: try setClass(path, Self.protectionClass(&input))
        case 15: try write(path, Self.content(&input), Self.protectionClass(&input))
        case 16:
            try compare("reading \(path)", { try volume.read(path) }) { () throws(Refusal) in
                let node = try model.existing(path)
                if node.isFolder { throw Refusal(.isFolder) }
                try model.requireOpening(node.protectionClass)
                return node.content
            }
        default:
            try compare(
                "looking at \(path)",
                {
                    let found = try volume.attributes(of: path)
                    return [Int(found.size), Int(found.protectionClass?.rawValue ?? 0)]
                },
                { () throws(Refusal) in
                    let node = try model.existing(path)
                    return [node.content.count, Int(node.protectionClass?.rawValue ?? 0)]
                })
        }
    }

    private func rename(_ path: String, _ target: String) throws {
        let model = model
        let volume = volume
        try compare(
            "renaming \(path) to \(target)",
            {
                try volume.rename(path, to: target); return true
            }
        ) {
            () throws(Refusal) in
            let names = path.split(separator: "/")
            if target.split(separator: "/").dropLast().starts(with: names) {
                throw Refusal(.invalidArgument)
            }
            let from = try model.place(path)
            let to = try model.place(target)
            guard let node = from.node else { throw Refusal(.missing) }
            if let replaced = to.node {
                if replaced === node { return true }
                if let entries = replaced.entries {
                    if !node.isFolder { throw Refusal(.isFolder) }
                    if !entries.isEmpty { throw Refusal(.notEmpty) }
                } else if node.isFolder {
                    throw Refusal(.notFolder)
                }
            }
            from.parent.entries?[from.name] = nil
            to.parent.entries?[to.name] = node
            return true
        }
    }

    private func setClass(_ path: String, _ asked: ProtectionClass?) throws {
        let model = model
        let volume = volume
        try compare(
            "the class of \(path)",
            {
                try volume.setProtectionClass(asked, of: path); return true
            }
        ) {
            () throws(Refusal) in
            let node = try model.existing(path)
            if node.isFolder {
                node.protectionClass = asked
                return true
            }
            guard let asked else { throw Refusal(.invalidArgument) }
            try model.setClass(asked, of: node)
            return true
        }
    }

    private func write(_ path: String, _ bytes: [UInt8], _ asked: ProtectionClass?) throws {
        let model = model
        let volume = volume
        try compare(
            "writing \(path)",
            {
                try volume.write(bytes, to: path, class: asked); return true
            }
        ) {
            () throws(Refusal) in
            let place = try model.place(path)
            if let node = place.node, node.isFolder { throw Refusal(.isFolder) }
            let chosen = model.classOfNewFile(in: place.parent, asked)
            try model.requireCreating(chosen)
            let made = VolumeModel.Node(folder: false, chosen)
            made.content = bytes
            place.parent.entries?[place.name] = made
            return true
        }
    }
}
