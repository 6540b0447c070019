import DataProtection
import Foundation
import Synchronization
import TestSupport
import Testing

/// Locking and unlocking while other threads read, write, create and replace.
@Suite struct `A lock under load` {
    /// Odd from the return of `lock()` to the call of `unlock()`.
    private final class Epoch: Sendable {
        private let count = Atomic(0)
        var now: Int { count.load(ordering: .sequentiallyConsistent) }
        func step() { count.add(1, ordering: .sequentiallyConsistent) }
    }

    /// One thread with its own files, and what they must hold.
    private final class Worker: @unchecked Sendable {
        let number: Int
        let volume: ProtectedVolume
        let epoch: Epoch
        let file: ProtectedFile
        var generator: SeededGenerator
        var model: [UInt8] = []
        var replaced: [UInt8]?
        var faults: [String] = []
        var sealedCount = 0
        var doneCount = 0

        init(_ number: Int, _ rig: VolumeRig, _ epoch: Epoch, seed: UInt64) throws {
            self.number = number
            self.epoch = epoch
            volume = rig.volume
            generator = SeededGenerator(seed: seed &+ UInt64(number))
            file = try rig.volume.openFile(
                "own\(number)", [.readWrite, .create], class: .complete)
        }

        func run(until end: ContinuousClock.Instant) {
            while ContinuousClock.now < end, faults.count < 5 { step() }
        }

        private func step() {
            let before = epoch.now
            let deed = Int.random(in: 0..<7, using: &generator)
            let bytes = generator.bytes(Int.random(in: 1...9000, using: &generator))
            let offset = Int.random(in: 0...model.count, using: &generator)
            do {
                try act(deed, bytes, offset)
                doneCount += 1
                if before % 2 == 1, epoch.now == before {
                    faults.append("deed \(deed) was done after lock() returned")
                }
            } catch let error as ProtectionError where error.code == .sealed {
                sealedCount += 1
            } catch {
                faults.append("deed \(deed): \(error)")
            }
        }

        private func act(_ deed: Int, _ bytes: [UInt8], _ offset: Int) throws {
            switch deed {
            case 0: try write(bytes, at: offset)
            case 1:
                try file.append(Array(bytes.prefix(100)))
                model += bytes.prefix(100)
            case 2:
                try file.truncate(to: Int64(offset))
                model.removeLast(model.count - offset)
            case 3:
                try volume.write(bytes, to: "atomic\(number)", class: .complete)
                replaced = bytes
            case 4:
                let name = "new\(number)"
                try volume.openFile(name, [.write, .create, .exclusive], class: .complete).close()
                try volume.removeFile(name)
            case 5: check(try volume.read("shared").count == 50_000, "the shared file")
            default: check(try file.read(at: 0, count: model.count + 9) == model, "its own file")
            }
        }

        private func write(_ bytes: [UInt8], at offset: Int) throws {
            try file.write(bytes, at: Int64(offset))
            let end = min(model.count, offset + bytes.count)
            model.replaceSubrange(offset..<end, with: bytes)
        }

        func check(_ holds: Bool, _ what: String) {
            if !holds { faults.append("\(what) holds something else") }
        }
    }

    @Test(arguments: RigStore.allCases)
    func `lets every operation succeed or be sealed, and loses no write`(store: RigStore) throws {
        let seed = UInt64.random(in: 0...UInt64.max)
        let rig = try VolumeRig(store)
        try rig.volume.write(pattern(50_000), to: "shared", class: .complete)
        let epoch = Epoch()
        let workers = try (0..<4).map { try Worker($0, rig, epoch, seed: seed) }
        let end = ContinuousClock.now + .seconds(2)
        let threads = DispatchGroup()
        for worker in workers {
            threads.enter()
            Thread {
                worker.run(until: end)
                threads.leave()
            }.start()
        }
        var rounds = 0
        while ContinuousClock.now < end {
            rig.volume.lock()
            epoch.step()
            usleep(2000)
            epoch.step()
            try rig.unlock()
            usleep(8000)
            rounds += 1
        }
        threads.wait()
        #expect(rounds > 20)
        for worker in workers {
            #expect(worker.faults == [], "seed \(seed)")
            #expect(worker.sealedCount > 0 && worker.doneCount > 0, "seed \(seed)")
            worker.file.close()
            _ = Outcome { try rig.volume.removeFile("new\(worker.number)") }
        }
        try rig.reopen()
        for worker in workers {
            #expect(try rig.volume.read("own\(worker.number)") == worker.model, "seed \(seed)")
            if let replaced = worker.replaced {
                let found = try rig.volume.read("atomic\(worker.number)")
                #expect(found == replaced, "seed \(seed)")
            }
        }
        let names = try rig.store.root.list().map(\.name)
        #expect(!names.contains { $0.hasPrefix(".new-") || $0.hasPrefix(".gone-") })
    }

    @Test func `tells every watcher last what holds in the end`() throws {
        let rig = try VolumeRig()
        let last = Mutex(LockEvent.current(.unlocked))
        let observation = rig.volume.observeLock { event in last.withLock { $0 = event } }
        for _ in 0..<2000 {
            let volume = rig.volume
            let threads = DispatchGroup()
            threads.enter()
            Thread {
                volume.lock()
                threads.leave()
            }.start()
            // A lock that comes while this goes on wins.
            #expect([nil, .sealed].contains(refusal { try rig.unlock() }))
            threads.wait()
            let isAvailable = volume.isProtectedDataAvailable
            let told = last.withLock { $0 }
            #expect(isAvailable == (told == .didBecomeAvailable || told == .current(.unlocked)))
            try rig.unlock()
        }
        observation.cancel()
    }
}
