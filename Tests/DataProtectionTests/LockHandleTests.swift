import Cryptography
import DataProtection
import Testing

/// What becomes of open files when the volume locks.
@Suite struct `An open file at lock` {
    @Test(arguments: RigStore.allCases)
    func `of class complete dies, and lives again after the unlock`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        let content = pattern(10_000)
        try rig.volume.write(content, to: "f", class: .complete)
        let file = try rig.volume.openFile("f", .readWrite)
        for round in 0..<3 {
            rig.volume.lock()
            #expect(refusal { _ = try file.read(at: 0, count: 1) } == .sealed)
            #expect(refusal { try file.write([9], at: 0) } == .sealed)
            #expect(refusal { try file.append([9]) } == .sealed)
            #expect(refusal { try file.truncate(to: 0) } == .sealed)
            #expect(refusal { try file.truncate(to: 20_000) } == .sealed)
            #expect(refusal { try file.setProtectionClass(.none) } == .sealed)
            #expect(file.size == Int64(content.count + round))
            #expect(file.protectionClass == .complete)
            try file.synchronize()
            try rig.unlock()
            #expect(try file.read(at: 0, count: 10_000) == content)
            try file.append([UInt8(round)])
        }
        #expect(try rig.volume.read("f") == content + [0, 1, 2])
    }

    @Test(arguments: RigStore.allCases)
    func `of class completeUnlessOpen lives until its last close`(store: RigStore) throws {
        let rig = try VolumeRig(store)
        let content = pattern(9000)
        try rig.volume.write(content, to: "f", class: .completeUnlessOpen)
        let one = try rig.volume.openFile("f", .readWrite)
        let two = try rig.volume.openFile("f", .read)
        rig.volume.lock()
        #expect(refusal { _ = try rig.volume.openFile("f") } == .sealed)
        #expect(refusal { _ = try rig.volume.openFile("f", [.write, .truncate]) } == .sealed)
        #expect(refusal { _ = try rig.volume.openFile("f", [.write, .create]) } == .sealed)
        #expect(refusal { try two.setProtectionClass(.none) } == .sealed)
        #expect(
            refusal { try rig.volume.setProtectionClass(ProtectionClass.none, of: "f") } == .sealed)
        try one.append([1])
        #expect(try two.read(at: 8999, count: 9) == [content[8999], 1])
        one.close()
        #expect(try two.read(at: 0, count: 9000) == content)
        #expect(refusal { try one.append([2]) } == .closed)
        two.close()
        #expect(refusal { _ = try rig.volume.openFile("f") } == .sealed)
        try rig.unlock()
        #expect(try rig.volume.read("f") == content + [1])
    }

    @Test func `does not lend its key to a file of the same name`() throws {
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "f", class: .completeUnlessOpen)
        let old = try rig.volume.openFile("f")
        rig.volume.lock()
        try rig.volume.write([2], to: "f", class: .completeUnlessOpen)
        #expect(try old.read(at: 0, count: 9) == [1])
        #expect(refusal { _ = try rig.volume.openFile("f") } == .sealed)
        try rig.unlock()
        #expect(try rig.volume.read("f") == [2])
    }

    @Test func `is one of a thousand, and all of them die and live again`() throws {
        let rig = try VolumeRig()
        let files = try (0..<1000).map { number in
            let file = try rig.volume.openFile(
                "\(number)", [.readWrite, .create], class: .complete)
            try file.write(Array("\(number)".utf8), at: 0)
            return file
        }
        rig.volume.lock()
        for file in files { #expect(refusal { _ = try file.read(at: 0, count: 9) } == .sealed) }
        try rig.unlock()
        for (number, file) in files.enumerated() {
            #expect(try file.read(at: 0, count: 9) == Array("\(number)".utf8))
        }
    }

    /// In a process of its own, since the count is the process's.
    @Test func `takes its keys with it when it is closed`() async {
        await #expect(processExitsWith: .success) {
            let empty = KeyMemory.keyCount
            do {
                let rig = try VolumeRig()
                try rig.volume.write([1], to: "warm", class: .complete)
                _ = try rig.volume.read("warm")
                rig.volume.lock()
                let locked = KeyMemory.keyCount
                try rig.unlock()
                var files: [ProtectedFile] = []
                for number in 0..<100 {
                    let protectionClass = ProtectionClass.allCases[number % 4]
                    let file = try rig.volume.openFile(
                        "\(number)", [.readWrite, .create], class: protectionClass)
                    try file.write(pattern(5000), at: 0)
                    files.append(file)
                }
                let unlocked = KeyMemory.keyCount
                rig.volume.lock()
                // 25 files of class complete, that class's key, the agreement key; at most four
                // contexts with two keys each.
                let wiped = unlocked - KeyMemory.keyCount
                #expect((27...35).contains(wiped), "\(wiped)")
                for file in files { file.close() }
                #expect(KeyMemory.keyCount == locked)
                // Refusals leave nothing behind either.
                for number in stride(from: 0, to: 100, by: 4) {
                    _ = try? rig.volume.read("\(number)")
                    _ = try? rig.volume.read("\(number + 1)")
                }
                _ = Outcome { try rig.volume.write([1], to: "new", class: .complete) }
                #expect(KeyMemory.keyCount == locked, "after refusals")
                try rig.volume.close()
            }
            #expect(KeyMemory.keyCount == empty)
        }
    }
}
