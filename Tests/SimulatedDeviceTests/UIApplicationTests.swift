import DataProtection
import Foundation
import SimulatedDevice
import Synchronization
import TestSupport
import Testing

/// The stand-in for UIKit's application. One test at a time: a program has one application.
@Suite(.serialized) struct `The application` {
    @Test @MainActor func `drains an outbox when the device is unlocked`() async throws {
        let scratch = try ScratchFolder()
        let device = try SimulatedDevice()
        device.makeCurrent()
        let outbox = ProtectedOutbox(folder: URL(filePath: scratch.path(of: "outbox")))
        for name in ["1", "2", "3"] { try outbox.save(Data(name.utf8), named: name) }
        var statuses: [DrainStatus] = []
        var sent: [String] = []
        let token = outbox.onUnlock {
            Task {
                statuses.append(
                    try await outbox.drain { data in
                        sent.append(String(decoding: data, as: UTF8.self))
                    })
            }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        // The phone locks while the first send is under way.
        let first = try await outbox.drain { data in
            sent.append(String(decoding: data, as: UTF8.self))
            device.lockAtOnce()
            await Task.yield()
        }
        #expect(first == .waitingForUnlock)
        #expect(sent == ["1"])
        #expect(try await outbox.drain { _ in } == .waitingForUnlock)
        try device.unlock(passcode: SimulatedDevice.passcode)
        while statuses.isEmpty { try await Task.sleep(for: .milliseconds(1)) }
        #expect(statuses == [.drained(2)])
        #expect(sent == ["1", "2", "3"])
    }

    @Test func `posts before the keys go and when they are back, for the current device`()
        async throws
    {
        let former = try SimulatedDevice()
        let device = try SimulatedDevice()
        former.makeCurrent()
        device.makeCurrent()
        let heard = Mutex<[String]>([])
        let tokens = [
            ("will", UIApplication.protectedDataWillBecomeUnavailableNotification),
            ("did", UIApplication.protectedDataDidBecomeAvailableNotification),
        ].map { word, name in
            NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
                #expect($0.object is UIApplication)
                heard.withLock {
                    $0.append("\(word) \(device.isProtectedDataAvailable)")
                }
            }
        }
        defer { for token in tokens { NotificationCenter.default.removeObserver(token) } }
        former.lockAtOnce()
        device.lock()
        device.advance(by: .seconds(10))
        #expect(heard.withLock { $0 } == ["will true"])
        #expect(await !UIApplication.shared.isProtectedDataAvailable)
        try device.unlock(passcode: SimulatedDevice.passcode)
        while heard.withLock({ $0.count }) < 2 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(heard.withLock { $0 } == ["will true", "did true"])
    }

    /// Foundation waits for the observer's queue, which may be the one that locks.
    @Test @MainActor func `is heard on the main queue whoever locks`() async throws {
        let device = try SimulatedDevice()
        device.makeCurrent()
        let count = Mutex(0)
        let token = NotificationCenter.default.addObserver(
            forName: UIApplication.protectedDataWillBecomeUnavailableNotification, object: nil,
            queue: .main
        ) { _ in
            count.withLock { $0 += 1 }
        }
        defer { NotificationCenter.default.removeObserver(token) }
        device.lockAtOnce()
        #expect(device.lockState == .locked, "a queue that waits cannot stop a lock")
        try device.unlock(passcode: SimulatedDevice.passcode)
        await Task.detached { device.lockAtOnce() }.value
        #expect(device.lockState == .locked)
        while count.withLock({ $0 }) < 2 { try await Task.sleep(for: .milliseconds(1)) }
    }

    @Test func `can be waited for as a device and a volume can`() async throws {
        let device = try SimulatedDevice()
        device.makeCurrent()
        device.lockAtOnce()
        let volume = try device.volume
        let all: [any ProtectedDataAvailability] = [device, volume, await UIApplication.shared]
        for availability in all {
            #expect(await !availability.isProtectedDataAvailable)
            var changes = availability.protectedDataChanges.makeAsyncIterator()
            #expect(await changes.next() == false)
            try device.unlock(passcode: SimulatedDevice.passcode)
            #expect(await changes.next() == true)
            device.lockAtOnce()
            #expect(await changes.next() == false)
        }
    }
}
