import DataProtection
import Foundation
import TestSupport
import Testing

/// The volume keeps to its policy, whoever writes.
@Suite struct PolicyEnforcementTests {
    private static func policy(
        _ weaker: ProtectionPolicy.WeakerRequests, whileLocked: ProtectionClass? = nil
    ) -> ProtectionPolicy {
        ProtectionPolicy(
            weakerRequests: weaker,
            kinds: [
                PolicyKind(
                    name: "record", patterns: [PolicyPattern("Records/**")!], class: .complete,
                    classWhileLocked: whileLocked, need: .whileUnlocked, reason: "health"),
                PolicyKind(
                    name: "log", patterns: [PolicyPattern("*.log")!],
                    class: .completeUntilFirstUserAuthentication, need: .afterFirstUnlock,
                    reason: "written in the background"),
            ],
            waivers: [
                PolicyWaiver(
                    pattern: PolicyPattern("Records/public/*")!, class: .none,
                    accessNeeded: "yes", sensitivityAllows: "yes", tradeOffConsidered: "yes")
            ])
    }

    private static func rig(
        _ policy: ProtectionPolicy, default defaultClass: ProtectionClass = .none
    ) throws -> VolumeRig {
        let rig = try VolumeRig(defaultClass: defaultClass)
        try rig.volume.makeFolder("Records")
        try rig.volume.makeFolder("Records/public")
        try rig.volume.setPolicy(policy)
        return rig
    }

    /// Ways to make a file with a class, or with none named.
    private static let writers:
        [(
            name: String,
            write: @Sendable (ProtectedVolume, String, ProtectionClass?) throws -> Void
        )] = [
            ("write", { try $0.write([1], to: $1, class: $2) }),
            ("openFile", { try $0.openFile($1, [.write, .create], class: $2).close() }),
            ("replaceFile", { try $0.replaceFile($1, class: $2) { try $0.write([1], at: 0) } }),
            (
                "file manager",
                { volume, path, protectionClass in
                    let files = ProtectedFileManager(volume: volume)
                    try files.createFile(
                        atPath: path, contents: Data([1]),
                        attributes: protectionClass.map { [.protectionKey: FileProtectionType($0)] }
                    )
                }
            ),
        ]

    @Test func `every writer gets the kind's class, and a weaker one is refused or raised`() throws
    {
        for weaker in ProtectionPolicy.WeakerRequests.allCases {
            for (name, write) in Self.writers {
                let rig = try Self.rig(Self.policy(weaker))
                let volume = rig.volume
                try write(volume, "Records/a", nil)
                #expect(try volume.protectionClass(of: "Records/a") == .complete, "\(name)")
                try write(volume, "Records/b", .complete)
                #expect(try volume.protectionClass(of: "Records/b") == .complete, "\(name)")
                try write(volume, "Records/public/c", ProtectionClass.none)
                #expect(try volume.protectionClass(of: "Records/public/c") == ProtectionClass.none)
                try write(volume, "elsewhere", nil)
                #expect(try volume.protectionClass(of: "elsewhere") == ProtectionClass.none)
                try write(volume, "x.log", .complete)
                #expect(try volume.protectionClass(of: "x.log") == .complete, "a stronger one")
                if weaker == .raise {
                    try write(volume, "Records/d", .completeUnlessOpen)
                    #expect(try volume.protectionClass(of: "Records/d") == .complete, "\(name)")
                } else {
                    #expect(throws: (any Error).self, "\(name)") {
                        try write(volume, "Records/d", .completeUnlessOpen)
                    }
                    #expect(try volume.list("Records").map(\.name) == ["a", "b", "public"])
                }
            }
        }
    }

    @Test func `a refusal names the kind, and is forbidden, not sealed`() throws {
        let rig = try Self.rig(Self.policy(.refuse))
        let error = #expect(throws: ProtectionError.self) {
            try rig.volume.write([1], to: "Records/a", class: ProtectionClass.none)
        }
        #expect(error?.code == .forbidden)
        #expect(error?.message.contains("'record'") == true)
    }

    @Test func `a class cannot be weakened later either`() throws {
        for weaker in ProtectionPolicy.WeakerRequests.allCases {
            let rig = try Self.rig(Self.policy(weaker))
            let volume = rig.volume
            try volume.write([1], to: "Records/a")
            if weaker == .refuse {
                #expect(throws: ProtectionError.self) {
                    try volume.setProtectionClass(ProtectionClass.none, of: "Records/a")
                }
                #expect(throws: ProtectionError.self) {
                    try volume.setProtectionClass(ProtectionClass.none, of: "Records")
                }
            } else {
                try volume.setProtectionClass(ProtectionClass.none, of: "Records/a")
            }
            #expect(try volume.protectionClass(of: "Records/a") == .complete)
            try volume.write([1], to: "y.log", class: .complete)
            try volume.setProtectionClass(.completeUntilFirstUserAuthentication, of: "y.log")
            #expect(
                try volume.protectionClass(of: "y.log") == .completeUntilFirstUserAuthentication)
        }
    }

    @Test func `while locked the kind's other class is taken, if it has one`() throws {
        let rig = try Self.rig(Self.policy(.refuse, whileLocked: .completeUnlessOpen))
        try rig.volume.write([1], to: "Records/a")
        rig.volume.lock()
        try rig.volume.write([1], to: "Records/b")
        try rig.volume.write([1], to: "Records/c", class: .completeUnlessOpen)
        #expect(try rig.volume.protectionClass(of: "Records/a") == .complete)
        #expect(try rig.volume.protectionClass(of: "Records/b") == .completeUnlessOpen)
        #expect(throws: ProtectionError.self) {
            try rig.volume.write([1], to: "Records/d", class: ProtectionClass.none)
        }
        let strict = try Self.rig(Self.policy(.refuse))
        strict.volume.lock()
        let error = #expect(throws: ProtectionError.self) {
            try strict.volume.write([1], to: "Records/b")
        }
        #expect(error?.code == .sealed)
    }

    @Test func `a writer before the first unlock reads the policy, too`() throws {
        let rig = try Self.rig(Self.policy(.refuse, whileLocked: .completeUnlessOpen))
        try rig.reboot()
        #expect(try rig.volume.policy?.kind("record")?.reason == "health")
        try rig.volume.write([1], to: "Records/a")
        #expect(try rig.volume.protectionClass(of: "Records/a") == .completeUnlessOpen)
    }

    @Test
    func
        `a policy that somebody edits holds at once, and a broken one stops what it may not allow`()
        throws
    {
        let rig = try Self.rig(Self.policy(.refuse))
        let volume = rig.volume
        var policy = Self.policy(.refuse)
        policy.kinds[0].protectionClass = .completeUnlessOpen
        try volume.write(policy.json, to: ProtectionPolicy.path)
        try volume.write([1], to: "Records/a")
        #expect(try volume.protectionClass(of: "Records/a") == .completeUnlessOpen)
        // In its place, as a program that does not replace files does.
        let file = try volume.openFile(ProtectionPolicy.path, .readWrite)
        try file.write(Array("{]".utf8), at: 0)
        for path in ["Records/b", "elsewhere"] {
            let error = #expect(throws: ProtectionError.self) { try volume.write([1], to: path) }
            #expect(error?.code == .damaged)
            #expect(error?.remedy.contains("seal policy") == true)
        }
        #expect(throws: ProtectionError.self) { try volume.policy }
        // What is there is read and changed as ever, and the policy can be mended.
        #expect(try volume.read("Records/a") == [1])
        try volume.write([], to: ".\(ProtectionPolicy.path).swp")
        try volume.setPolicy(policy)
        try volume.write([1], to: "Records/b")
        try volume.setPolicy(nil)
        try volume.write([1], to: "Records/c", class: ProtectionClass.none)
        #expect(try volume.policy == nil)
    }

    @Test func `what a program makes beside a file keeps the rules of companions`() throws {
        let rig = try Self.rig(Self.policy(.refuse))
        try rig.volume.write([1], to: "a", class: .complete)
        try rig.volume.write([1], to: "a-wal")
        #expect(try rig.volume.protectionClass(of: "a-wal") == .complete)
        try rig.volume.write([1], to: "Records/db")
        try rig.volume.write([1], to: "Records/db-shm")
        #expect(
            try rig.volume.protectionClass(of: "Records/db-shm")
                == .completeUntilFirstUserAuthentication)
    }
}
