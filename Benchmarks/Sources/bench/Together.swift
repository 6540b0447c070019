import DataProtection
import Glibc
import Synchronization

/// Two threads at once, on one file and on two.
extension Files {
    static func together(
        _ volume: ProtectedVolume, _ plain: PlainFolder, _ rounds: Int
    ) throws {
        let blockCount = 4096
        let whole = [UInt8](repeating: 1, count: 4096 * blockCount)
        let block = [UInt8](repeating: 2, count: 4096)
        let count = 20_000
        let files = try ["one", "two"].map {
            try volume.openFile($0, [.read, .write, .create])
        }
        let plainFiles = ["one", "two"].map { plain.openFile($0) }
        for file in files { try file.write(whole, at: 0) }
        for file in plainFiles { file.write(whole, at: 0) }
        @Sendable func place(_ index: Int) -> Int { (index * 2_654_435_761) % blockCount * 4096 }
        for (isWriting, isOne) in [(false, true), (false, false), (true, true), (true, false)] {
            let times = PairedTimes(pairCount: rounds) {
                onTwoThreads { thread in
                    let file = files[isOne ? 0 : thread]
                    for index in 0..<count {
                        let place = Int64(place(index + thread * 77))
                        if isWriting {
                            try? file.write(block, at: place)
                        } else {
                            _ = try? file.read(at: place, count: 4096)
                        }
                    }
                }
            } against: {
                onTwoThreads { thread in
                    let file = plainFiles[isOne ? 0 : thread]
                    for index in 0..<count {
                        let place = place(index + thread * 77)
                        if isWriting {
                            file.write(block, at: place)
                        } else {
                            file.read(at: place, count: 4096)
                        }
                    }
                }
            }
            row(
                "two threads \(isWriting ? "write" : "read") random 4 KiB of "
                    + (isOne ? "one file" : "a file each"), times, per: 2 * count)
        }
    }

    /// Runs a body on two threads and waits for both.
    private static func onTwoThreads(_ body: @escaping @Sendable (Int) -> Void) {
        let threads = (0..<2).map { number -> pthread_t in
            var thread = pthread_t()
            let box = Unmanaged.passRetained(Work { body(number) })
            pthread_create(
                &thread, nil,
                {
                    Unmanaged<Work>.fromOpaque($0!).takeRetainedValue().run()
                    return nil
                }, box.toOpaque())
            return thread
        }
        for thread in threads { pthread_join(thread, nil) }
    }

    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }
}
