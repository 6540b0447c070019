import Cryptography
import Glibc
import Testing

/// Each test runs in a process of its own: the counts and limits are the process's.
@Suite(.enabled(if: !isSanitized, "a sanitizer makes mlock(2) do nothing"))
struct `Key memory` {
    @Test func `ten thousand keys fit into the locked memory of an ordinary user`() async {
        await #expect(processExitsWith: .success) {
            becomeOrdinaryUser(lockedMemoryLimit: 8 << 20)
            var keys = KeyList()
            for _ in 0..<10_000 { try keys.append(SecretKey.random()) }
            #expect(KeyMemory.keyCount == 10_000)
            #expect(KeyMemory.chunkCount == 10)
            #expect((320...512).contains(processStatus("VmLck")))

            let clock = ContinuousClock()
            let time = clock.measure { keys.removeAll() }
            print("10,000 keys freed in \(time)")
            #expect(time < .milliseconds(100))
            #expect(KeyMemory.keyCount == 0)
            #expect(KeyMemory.chunkCount == 1)
        }
    }

    @Test func `a key that the limit forbids to lock is refused`() async {
        await #expect(processExitsWith: .success) {
            becomeOrdinaryUser(lockedMemoryLimit: 128 << 10)
            var keys = KeyList()
            do throws(CryptographyError) {
                for _ in 0..<10_000 { try keys.append(SecretKey.random()) }
                Issue.record("the limit was not reached")
            } catch {
                #expect(error == .keyMemoryExhausted)
            }
            #expect(KeyMemory.keyCount.isMultiple(of: 1024))
            keys.removeAll()
            let again = try SecretKey.random()
            #expect(KeyMemory.keyCount == 1)
            _ = consume again
        }
    }

    @Test func `no key at all is made where nothing can be locked`() async {
        await #expect(processExitsWith: .success) {
            becomeOrdinaryUser(lockedMemoryLimit: 0)
            #expect(throws: CryptographyError.keyMemoryExhausted) { _ = try SecretKey.random() }
            #expect(KeyMemory.keyCount == 0)
            #expect(KeyMemory.chunkCount == 0)
        }
    }

    @Test func `a key's bytes are gone from memory once its owner lets go`() async {
        await #expect(processExitsWith: .success) {
            let neighbour = try SecretKey.random()
            let address = try {
                let key = try SecretKey([UInt8](repeating: 0xA5, count: 32))
                return key.bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            }()
            // The neighbour keeps the region mapped.
            let memory = UnsafePointer<UInt8>(bitPattern: address)!
            #expect((0..<32).allSatisfy { memory[$0] == 0 })
            #expect(!neighbour.array.allSatisfy { $0 == 0 })
        }
    }

    @Test func `keys are locked, left out of core dumps and absent in children`() async {
        await #expect(processExitsWith: .success) {
            let key = try SecretKey.random()
            let address = key.bytes.withUnsafeBufferPointer { UInt(bitPattern: $0.baseAddress) }
            // proc(5): lo = locked, dd = do not dump, dc = do not copy on fork.
            #expect(memoryFlags(at: address).isSuperset(of: ["lo", "dd", "dc"]))
        }
    }

    @Test func `a key whose filling throws is wiped and given back`() async {
        await #expect(processExitsWith: .success) {
            let neighbour = try SecretKey.random()
            var address: UInt = 0
            #expect(throws: CryptographyError.outOfMemory) {
                _ = try SecretKey { bytes throws(CryptographyError) in
                    for index in bytes.indices { bytes[index] = 0xA5 }
                    address = bytes.withUnsafeMutableBufferPointer {
                        UInt(bitPattern: $0.baseAddress)
                    }
                    throw .outOfMemory
                }
            }
            let memory = UnsafePointer<UInt8>(bitPattern: address)!
            #expect((0..<32).allSatisfy { memory[$0] == 0 })
            #expect(KeyMemory.keyCount == 1)
            _ = consume neighbour
        }
    }

    @Test func `a cipher context counts as keys until it is wiped`() async {
        await #expect(processExitsWith: .success) {
            for algorithm in AEADAlgorithm.allCases {
                let context = try AEADContext(algorithm)
                #expect(KeyMemory.keyCount == 0)
                do {
                    let key = try SecretKey.random()
                    try context.setKey(key)
                }
                #expect(KeyMemory.keyCount > 0)
                context.wipe()
                #expect(KeyMemory.keyCount == 0)
            }
        }
    }

    @Test func `the first key forbids core dumps`() async {
        await #expect(processExitsWith: .success) {
            #expect(KeyMemory.isProcessDumpable)
            let key = try SecretKey.random()
            #expect(!KeyMemory.isProcessDumpable)
            _ = consume key
        }
    }

    @Test func `core dumps stay allowed where the process asked for it`() async {
        await #expect(processExitsWith: .success) {
            KeyMemory.keepProcessDumpable()
            let key = try SecretKey.random()
            #expect(KeyMemory.isProcessDumpable)
            _ = consume key
        }
    }

    @Test func `threads that make and drop keys at once leave none behind`() async {
        await #expect(processExitsWith: .success) {
            await withTaskGroup(of: Bool.self) { group in
                for number in 0..<8 {
                    group.addTask {
                        let pattern = [UInt8](repeating: UInt8(number), count: 32)
                        for _ in 0..<200 {
                            var keys = KeyList()
                            for _ in 0..<20 {
                                guard let key = try? SecretKey(pattern) else { return false }
                                keys.append(key)
                            }
                            guard keys.all({ $0.array == pattern }) else { return false }
                        }
                        return true
                    }
                }
                for await kept in group { #expect(kept) }
            }
            #expect(KeyMemory.keyCount == 0)
            #expect(KeyMemory.chunkCount == 1)
        }
    }
}
