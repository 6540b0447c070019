import DataProtection

#if canImport(Glibc)
    import Glibc
#endif

/// How long an unlock takes beyond its key derivation, and how long a lock takes with many open files.
enum Locking {
    static func run(rounds: Int) throws {
        let device = try DeviceKey.inMemory()
        let passcode = try Passcode("a passcode of some length")
        let volume = try ProtectedVolume.inMemory(
            configuration: VolumeConfiguration(passcodeCost: .interactive), passcode: passcode,
            deviceKey: device)
        let fileCount = 10_000
        var files: [ProtectedFile] = []
        let openTime = try seconds {
            for number in 0..<fileCount {
                let file = try volume.openFile(
                    "file \(number)", [.read, .write, .create], class: .complete)
                try file.write([UInt8(truncatingIfNeeded: number)], at: 0)
                files.append(file)
            }
        }
        var lockTimes: [Double] = []
        var unlockTimes: [Double] = []
        var wakeTimes: [Double] = []
        let wrong = try Passcode("another passcode altogether")
        var derivationTimes: [Double] = []
        for _ in 0..<rounds {
            lockTimes.append(seconds { volume.lock() })
            precondition((try? files[0].read(at: 0, count: 1)) == nil)
            unlockTimes.append(try seconds { try volume.unlock(passcode: passcode) })
            // The same derivation without anything else: a wrong passcode stops right after it.
            derivationTimes.append(seconds { try? volume.unlock(passcode: wrong) })
            wakeTimes.append(
                try seconds { for file in files { _ = try file.read(at: 0, count: 1) } })
        }
        let unlock = median(unlockTimes) * 1000
        let derivation = median(derivationTimes) * 1000
        let difference = median(zip(unlockTimes, derivationTimes).map { $0 - $1 })
        print("| what | ms | target |")
        print("|---|---|---|")
        print(
            "| create, open and write \(fileCount) files | \((openTime * 1000).rounded(to: 1)) | |")
        print(
            "| lock with \(fileCount) open complete files | \((median(lockTimes) * 1000).rounded(to: 1)) | ≤ 100 |"
        )
        print("| unlock | \(unlock.rounded(to: 1)) | |")
        print("| its key derivation alone | \(derivation.rounded(to: 1)) | |")
        print("| unlock without it | \((difference * 1000).rounded(to: 1)) | < 10 |")
        print(
            "| first read of each open file afterwards | \((median(wakeTimes) * 1000).rounded(to: 1)) | |"
        )
    }
}
