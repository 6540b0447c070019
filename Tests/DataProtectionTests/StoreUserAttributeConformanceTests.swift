import DataProtection
import Testing

/// What every store does with `user.*` attributes; a host without them is passed over.
@Suite(.scratchFolder) struct `Every store keeps user attributes` {
    /// What carries them.
    enum Place: String, CaseIterable, Sendable {
        case file, readOnlyFile, fileWithoutName, folder, top
    }

    private func make(_ kind: StoreKind, _ place: Place) throws -> (any BackingAttributes)? {
        let store = try kind.make()
        guard try store.store.capabilities().hasAttributes else { return nil }
        switch place {
        case .file: return try store.root.createFile("x", mode: 0o600).userAttributes
        case .readOnlyFile:
            _ = try store.root.createFile("x", mode: 0o600)
            return try store.root.openFile("x", writable: false).userAttributes
        case .fileWithoutName:
            let file = try store.root.createFile("x", mode: 0o600)
            try store.root.removeFile("x")
            return file.userAttributes
        case .folder:
            try store.root.makeFolder("x", mode: 0o700)
            return try store.root.openFolder("x").userAttributes
        case .top: return store.root.userAttributes
        }
    }

    @Test(arguments: StoreKind.allCases, Place.allCases)
    func `they are set, told and removed`(_ kind: StoreKind, _ place: Place) throws {
        guard let attributes = try make(kind, place) else { return }
        #expect(try attributes.names() == [])
        #expect(try attributes.value(of: "user.a") == nil)
        let long = [UInt8](repeating: 7, count: 2000)
        for value in [[1, 0, 2], [], long, [9]] {
            try attributes.set("user.a", to: value, rule: .set)
            #expect(try attributes.value(of: "user.a") == value)
        }
        try attributes.set("user.b", to: [], rule: .create)
        try attributes.set("user.A", to: [3], rule: .create)
        #expect(try Set(attributes.names()) == ["user.a", "user.b", "user.A"])
        #expect(try attributes.names().count == 3)
        try attributes.remove("user.a")
        #expect(try attributes.value(of: "user.a") == nil)
        #expect(try Set(attributes.names()) == ["user.b", "user.A"])
        #expect(code { try attributes.remove("user.a") } == HostError.noSuchAttribute)
    }

    @Test(arguments: StoreKind.allCases, Place.allCases)
    func `the rule decides about one that is set, or is not`(
        _ kind: StoreKind, _ place: Place
    ) throws {
        guard let attributes = try make(kind, place) else { return }
        #expect(
            code {
                try attributes.set("user.a", to: [1], rule: .replace)
            } == HostError.noSuchAttribute)
        try attributes.set("user.a", to: [2], rule: .create)
        #expect(
            code { try attributes.set("user.a", to: [3], rule: .create) } == HostError.entryExists)
        #expect(try attributes.value(of: "user.a") == [2])
        try attributes.set("user.a", to: [4], rule: .replace)
        #expect(try attributes.value(of: "user.a") == [4])
    }

    /// What a bad name or value is called: by `set`, and by `value(of:)` and `remove`.
    private static let refusals: [(name: String, byteCount: Int, set: Int32, others: Int32)] = [
        ("", 1, HostError.outOfRange, HostError.outOfRange),
        (
            "user." + String(repeating: "x", count: 251), 1, HostError.outOfRange,
            HostError.outOfRange
        ),
        (
            "user." + String(repeating: "x", count: 251), 65537, HostError.outOfRange,
            HostError.outOfRange
        ),
        ("user.", 1, HostError.invalidArgument, HostError.invalidArgument),
        ("user.a\0b", 1, HostError.invalidArgument, HostError.invalidArgument),
        ("user.a", 65537, HostError.tooBig, HostError.noSuchAttribute),
        ("plain", 65537, HostError.tooBig, HostError.notSupported),
        ("plain", 1, HostError.notSupported, HostError.notSupported),
        ("trusted.a", 1, HostError.notSupported, HostError.notSupported),
        ("User.a", 1, HostError.notSupported, HostError.notSupported),
        ("user.\u{301}", 1, 0, HostError.noSuchAttribute),
    ]

    @Test(arguments: StoreKind.allCases, Place.allCases)
    func `what cannot be is refused with the kernel's number`(
        _ kind: StoreKind, _ place: Place
    ) throws {
        guard let attributes = try make(kind, place) else { return }
        for refusal in Self.refusals {
            #expect(code { try attributes.remove(refusal.name) } == refusal.others)
            let isAbsent = [HostError.noSuchAttribute, HostError.notSupported]
                .contains(refusal.others)
            let read = code {
                let value = try attributes.value(of: refusal.name)
                #expect(value == nil)
            }
            #expect(read == (isAbsent ? nil : refusal.others), "\(refusal)")
            let value = [UInt8](repeating: 1, count: refusal.byteCount)
            let set = code { try attributes.set(refusal.name, to: value, rule: .set) }
            #expect(set == (refusal.set == 0 ? nil : refusal.set), "\(refusal)")
        }
        #expect(try attributes.names() == ["user.\u{301}"])
    }

    @Test(arguments: StoreKind.allCases)
    func `a name may have 255 bytes, and is compared byte for byte`(_ kind: StoreKind) throws {
        guard let attributes = try make(kind, .file) else { return }
        let longest = "user." + String(repeating: "é", count: 125)
        #expect(longest.utf8.count == 255)
        try attributes.set(longest, to: [1], rule: .set)
        try attributes.set("user.caf\u{E9}", to: [2], rule: .create)
        try attributes.set("user.cafe\u{301}", to: [3], rule: .create)
        #expect(try attributes.value(of: longest) == [1])
        #expect(try attributes.value(of: "user.caf\u{E9}") == [2])
        #expect(try attributes.value(of: "user.cafe\u{301}") == [3])
        #expect(try attributes.names().count == 3)
    }

    @Test(arguments: StoreKind.allCases)
    func `many names are all told`(_ kind: StoreKind) throws {
        guard let attributes = try make(kind, .file) else { return }
        // More than the first buffer for them, and less than a block of ext4.
        let names = (0..<30).map { "user.a-rather-long-name-for-an-attribute-\($0)" }
        for name in names { try attributes.set(name, to: [], rule: .set) }
        #expect(try attributes.names().sorted() == names.sorted())
    }

    @Test(arguments: StoreKind.allCases)
    func `setting and removing one touches the change time alone`(_ kind: StoreKind) throws {
        let store = try kind.make()
        guard try store.store.capabilities().hasAttributes else { return }
        let file = try store.root.createFile("f", mode: 0o600)
        let times = HostAttributeChange(
            accessTime: .time(HostTime(1)), modificationTime: .time(HostTime(2)))
        try file.setAttributes(times)
        let before = try file.attributes()
        try file.userAttributes.set("user.a", to: [1], rule: .set)
        try file.userAttributes.remove("user.a")
        let after = try file.attributes()
        #expect(after.accessTime == HostTime(1))
        #expect(after.modificationTime == HostTime(2))
        #expect(after.changeTime >= before.changeTime)
        #expect(after.byteCount == 0 && after.mode == 0o600)
    }

    @Test(arguments: StoreKind.allCases)
    func `they go with the file, whatever its name`(_ kind: StoreKind) throws {
        let store = try kind.make()
        guard try store.store.capabilities().hasAttributes else { return }
        let root = store.root
        try root.createFile("f", mode: 0o600).userAttributes.set("user.a", to: [1], rule: .set)
        try root.rename("f", to: root, as: "g", rule: .replace)
        try root.makeLink(of: "g", in: root, as: "h")
        for name in ["g", "h"] {
            let file = try root.openFile(name, writable: false)
            #expect(try file.userAttributes.value(of: "user.a") == [1])
        }
        #expect(try root.createFile("f", mode: 0o600).userAttributes.names() == [])
    }
}
