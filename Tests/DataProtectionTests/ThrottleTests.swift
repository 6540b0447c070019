import DataProtection
import Foundation
import Synchronization
import TestSupport
import Testing

/// Apple's delays after wrong passcodes.
@Suite struct `Wrong passcodes in a row` {
    /// A volume on disk beside a device key file, and a wall clock that a test moves.
    private final class Bench {
        private final class WallClock: Sendable { let seconds = Mutex<Int64>(1_000_000) }

        let scratch: ScratchFolder
        private let wall = WallClock()
        private(set) var volume: ProtectedVolume
        let recoveryKey: RecoveryKey

        init() throws {
            scratch = try ScratchFolder()
            let device = try DeviceKey.loadOrCreate(at: scratch.path(of: "keys/device.key"))
            let made = try ProtectedVolume.create(
                at: scratch.path(of: "v"),
                configuration: VolumeConfiguration(passcodeCost: .cheap, delaysPasscodes: true),
                passcode: Passcode("right"), deviceKey: device)
            recoveryKey = try made.makeRecoveryKey(passcode: Passcode("right"))
            try made.close()
            volume = made
            try reopen()
        }

        func reopen() throws {
            try volume.close()
            volume = try ProtectedVolume.open(
                FolderStore(path: scratch.path(of: "v")),
                deviceKey: DeviceKey.load(from: scratch.path(of: "keys/device.key")),
                wallClock: { [wall] in wall.seconds.withLock { $0 } })
        }

        func pass(_ seconds: Int64) { wall.seconds.withLock { $0 += seconds } }

        func attempt(_ text: String) -> ProtectionError.Code? {
            refusal { try volume.unlock(passcode: Passcode(text)) }
        }
    }

    private static let delays: [Int64] = [0, 0, 0, 60, 300, 900, 3600, 10_800, 28_800]

    @Test func `are delayed as Apple's table says, over restarts, until the tenth`() throws {
        let bench = try Bench()
        for (index, delay) in Self.delays.enumerated() {
            #expect(bench.attempt("wrong \(index)") == .wrongPasscode)
            try bench.reopen()
            guard delay > 0 else { continue }
            #expect(bench.attempt("right") == .throttled, "after \(index + 1)")
            bench.pass(delay - 1)
            #expect(bench.attempt("right") == .throttled, "after \(index + 1)")
            bench.pass(1)
        }
        #expect(bench.attempt("wrong 10") == .wrongPasscode)
        bench.pass(1_000_000_000)
        #expect(bench.attempt("right") == .throttled)
        try bench.reopen()
        #expect(bench.attempt("right") == .throttled)
        try bench.volume.unlock(recoveryKey: bench.recoveryKey)
        #expect(bench.volume.lockState == .unlocked)
    }

    @Test func `are forgotten with the right one`() throws {
        let bench = try Bench()
        for round in 0..<4 {
            for index in 0..<3 {
                #expect(bench.attempt("wrong \(round) \(index)") == .wrongPasscode)
            }
            #expect(bench.attempt("right") == nil)
        }
    }

    @Test func `count once when they are the same`() throws {
        let bench = try Bench()
        for _ in 0..<20 { #expect(bench.attempt("wrong") == .wrongPasscode) }
        try bench.reopen()
        #expect(bench.attempt("wrong") == .wrongPasscode)
        #expect(bench.attempt("another") == .wrongPasscode)
        #expect(bench.attempt("wrong") == .wrongPasscode)
        #expect(bench.attempt("right") == nil)
    }

    @Test func `start their delay anew when the clock is set back`() throws {
        let bench = try Bench()
        for index in 0..<4 { _ = bench.attempt("wrong \(index)") }
        bench.pass(-500_000)
        #expect(bench.attempt("right") == .throttled)
        bench.pass(500_059)
        #expect(bench.attempt("right") == .throttled)
        bench.pass(1)
        #expect(bench.attempt("right") == nil)
    }

    @Test func `count each when they are tried side by side`() throws {
        let bench = try Bench()
        let volume = bench.volume
        let found = Mutex<[ProtectionError.Code?]>([])
        DispatchQueue.concurrentPerform(iterations: 16) { index in
            let code = refusal { try volume.unlock(passcode: Passcode("wrong \(index)")) }
            found.withLock { $0.append(code) }
        }
        let codes = found.withLock { $0 }
        #expect(codes.count { $0 == .wrongPasscode } == 4)
        #expect(codes.count { $0 == .throttled } == 12)
    }

    @Test func `no longer count when the volume got a new passcode by its recovery key`() throws {
        let bench = try Bench()
        for index in 0..<10 {
            #expect(bench.attempt("wrong \(index)") == .wrongPasscode)
            bench.pass(100_000)
        }
        #expect(bench.attempt("right") == .throttled)
        try bench.volume.restore(
            recoveryKey: bench.recoveryKey,
            deviceKey: DeviceKey.load(from: bench.scratch.path(of: "keys/device.key")),
            passcode: Passcode("new"), cost: .cheap)
        try bench.reopen()
        #expect(bench.attempt("new") == nil)
    }

    @Test func `are refused, not forgotten, when their count is damaged`() throws {
        let bench = try Bench()
        for index in 0..<4 { _ = bench.attempt("wrong \(index)") }
        let folder = bench.scratch.path(of: "keys")
        let name = try #require(
            FileManager.default.contentsOfDirectory(atPath: folder).first {
                $0.contains("attempts")
            })
        try Data(repeating: 0, count: 84).write(to: URL(filePath: folder + "/" + name))
        #expect(bench.attempt("right") == .damaged)
        try bench.volume.unlock(recoveryKey: bench.recoveryKey)
    }

    @Test func `are not delayed on a volume that was made without`() throws {
        let rig = try VolumeRig()
        for index in 0..<15 {
            let code = refusal { try rig.volume.unlock(passcode: Passcode("wrong \(index)")) }
            #expect(code == .wrongPasscode)
        }
        try rig.unlock()
    }
}
