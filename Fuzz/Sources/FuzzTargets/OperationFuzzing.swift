import DataProtection

/// Calls to a volume do what a model says, in every lock state.
enum OperationFuzzing {
    private static let image: (MemoryImage, DeviceKey) = {
        do {
            let device = try DeviceKey.inMemory()
            let store = MemoryStore()
            let volume = try ProtectedVolume.create(
                in: store,
                configuration: VolumeConfiguration(
                    passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192),
                    ruleSet: .apple),
                passcode: Passcode(OperationRun.passcode), deviceKey: device)
            try volume.close()
            return (store.image(), device)
        } catch {
            fatalError("\(error)")
        }
    }()

    static func run(_ input: inout ByteReader) throws {
        let (image, device) = image
        var run = try OperationRun(MemoryStore(image), device)
        var number = 0
        while !input.isEmpty, number < 100 {
            try run.step(&input)
            number += 1
        }
        try run.finish()
    }
}

/// One volume and its model, while they are worked on.
struct OperationRun {
    static let passcode = "operations"
    static let names = ["a", "b", "c", String(repeating: "n", count: 200)]

    /// An open file, and which node of the model it is.
    struct Handle {
        let file: ProtectedFile
        let node: VolumeModel.Node
        let options: OpenOptions
        var isOpen = true
    }

    let store: MemoryStore
    let device: DeviceKey
    var volume: ProtectedVolume
    var model = VolumeModel()
    var handles: [Handle] = []

    init(_ store: MemoryStore, _ device: DeviceKey) throws {
        self.store = store
        self.device = device
        volume = try ProtectedVolume.open(store, deviceKey: device)
        try volume.unlock(passcode: Passcode(Self.passcode))
    }

    mutating func step(_ input: inout ByteReader) throws {
        let choice = input.byte() % 20
        switch choice {
        case 0, 1, 2: try open(&input)
        case 3...8: try useHandle(choice, &input)
        case 9...17: try usePath(choice, &input)
        case 18:
            if input.byte() & 1 == 0 { try lock() } else { try unlock() }
        default: try reopen()
        }
    }

    /// Calls both, and compares how they end and what they return.
    func compare<Result: Equatable>(
        _ what: String, _ call: () throws -> Result, _ expected: () throws(Refusal) -> Result
    ) throws {
        let wanted: Swift.Result<Result, Refusal>
        do { wanted = .success(try expected()) } catch { wanted = .failure(error) }
        let found: Swift.Result<Result, Refusal>
        do {
            found = .success(try call())
        } catch let error as ProtectionError {
            found = .failure(Refusal(error.code))
        }
        let isSame =
            switch (wanted, found) {
            case (.success(let wanted), .success(let found)): wanted == found
            case (.failure(let wanted), .failure(let found)): wanted == found
            default: false
            }
        try FuzzFault.unless(
            isSame,
            "\(what) in state \(model.state): \(Self.short(found)), not "
                + "\(Self.short(wanted))")
    }

    private static func short(_ value: some Any) -> String {
        String(String(describing: value).prefix(300))
    }

    private mutating func lock() throws {
        volume.lock()
        if model.state == .unlocked { model.state = .locked }
    }

    private mutating func unlock() throws {
        try volume.unlock(passcode: Passcode(Self.passcode))
        model.state = .unlocked
    }

    /// Closes the volume and opens it again: before its first unlock.
    private mutating func reopen() throws {
        try volume.close()
        for handle in handles where handle.isOpen {
            try compare("reading in a closed volume", { try handle.file.read(at: 0, count: 1) }) {
                () throws(Refusal) in
                throw Refusal(handle.options.contains(.read) ? .closed : .wrongAccess)
            }
        }
        handles = []
        volume = try ProtectedVolume.open(store, deviceKey: device)
        model.state = .beforeFirstUnlock
    }

    /// Opens the volume anew and compares everything.
    mutating func finish() throws {
        try reopen()
        try unlock()
        try verify(model.root, "")
        try volume.close()
    }

    private func verify(_ folder: VolumeModel.Node, _ path: String) throws {
        let entries = folder.entries ?? [:]
        try FuzzFault.unless(
            volume.list(path).map(\.name) == entries.keys.sorted(), "/\(path) holds other names")
        for (name, node) in entries {
            let path = path.isEmpty ? name : "\(path)/\(name)"
            try FuzzFault.unless(
                try volume.protectionClass(of: path) == node.protectionClass,
                "\(path) has another class")
            if node.isFolder {
                try verify(node, path)
            } else {
                try FuzzFault.unless(
                    try volume.read(path) == node.content, "\(path) has another content")
            }
        }
    }
}
