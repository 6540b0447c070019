import DataProtection
import Foundation
import Synchronization
import TestSupport
import Testing

/// What is called again and again is called as directly the last time as the first time.
@Suite struct HookDepthTests {
    @Test func `a hook on operations gets no deeper with each of them`() throws {
        let rig = try VolumeRig()
        let depths = Mutex<[Int]>([])
        rig.volume.operationHook = { _ in
            let depth = Thread.callStackReturnAddresses.count
            depths.withLock { $0.append(depth) }
        }
        for _ in 0..<100 { _ = try rig.volume.list() }
        let found = depths.withLock { $0 }
        #expect(found.count >= 100)
        #expect(Set(found.suffix(90)).count == 1, "\(Set(found))")
    }
}
