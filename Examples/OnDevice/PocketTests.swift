#if canImport(UIKit)
    import UIKit
    import XCTest

    /// What only a phone can prove. For a test target that runs inside an app, on a device with a
    /// passcode. README.md, beside this file, says how.
    @MainActor
    final class PocketTests: XCTestCase {
        private var folder = URL(filePath: "/")

        override func setUp() async throws {
            folder = URL.applicationSupportDirectory.appending(path: "pocket-\(UUID())")
            try FileManager.default.createDirectory(
                at: folder, withIntermediateDirectories: true)
        }

        override func tearDown() async throws {
            try FileManager.default.removeItem(at: folder)
        }

        /// Holds everywhere, also in the Simulator: what the store has written down.
        func testThePolicyIsComplete() {
            XCTAssertEqual(
                Outbox.protection.intersection(.fileProtectionMask), .completeFileProtection)
        }

        /// Holds on a device alone: what is recorded for the file.
        func testTheRecordedClassIsComplete() throws {
            try requireDevice()
            let url = folder.appending(path: "note")
            try Data("note".utf8).write(to: url, options: Outbox.protection)
            let attributes = try FileManager.default.attributesOfItem(atPath: url.path)
            XCTAssertEqual(attributes[.protectionKey] as? FileProtectionType, .complete)
        }

        /// For a person with the phone in the hand: the console says what to do.
        func testADrainWaitsInThePocketAndResumesAtTheUnlock() async throws {
            try requireDevice()
            let outbox = Outbox(folder: folder)
            try outbox.save(Data("entry".utf8), named: "1")

            // Without this the app is suspended soon after the screen goes dark.
            let background = UIApplication.shared.beginBackgroundTask(
                expirationHandler: nil)
            defer { UIApplication.shared.endBackgroundTask(background) }
            print("1. Lock the phone now.")
            // The flag turns about ten seconds after the screen has locked.
            for _ in 0..<60 where UIApplication.shared.isProtectedDataAvailable {
                try await Task.sleep(for: .seconds(1))
            }
            XCTAssertFalse(UIApplication.shared.isProtectedDataAvailable, "it was not locked")
            let status = try await outbox.drain { _ in XCTFail("sent while locked") }
            print("2. The status while locked: \(status)")
            XCTAssertEqual(status, .waitingForUnlock)

            let resumed = expectation(
                forNotification: UIApplication.protectedDataDidBecomeAvailableNotification,
                object: nil)
            print("3. Unlock the phone now.")
            await fulfillment(of: [resumed], timeout: 60)
            let rest = try await outbox.drain { data in
                XCTAssertEqual(data, Data("entry".utf8))
            }
            print("4. The status after the unlock: \(rest)")
            XCTAssertEqual(rest, .drained(1))
        }

        private func requireDevice() throws {
            #if targetEnvironment(simulator)
                throw XCTSkip(
                    "the Simulator has no Data Protection: run this on a device with a passcode")
            #endif
        }
    }

    /// What a drain came to.
    private enum DrainStatus: Equatable {
        case drained(Int)
        case waitingForUnlock
    }

    /// The least that an outbox can be. Put your own in its place.
    @MainActor
    private struct Outbox {
        static let protection: Data.WritingOptions = [.atomic, .completeFileProtection]

        let folder: URL

        func save(_ data: Data, named name: String) throws {
            try data.write(to: folder.appending(path: name), options: Self.protection)
        }

        func drain(send: (Data) async throws -> Void) async throws -> DrainStatus {
            var count = 0
            for name in try FileManager.default.contentsOfDirectory(atPath: folder.path).sorted() {
                let url = folder.appending(path: name)
                let data: Data
                do {
                    data = try Data(contentsOf: url)
                } catch {
                    // The read is the truth. The flag only says what its failure means.
                    guard !UIApplication.shared.isProtectedDataAvailable else { throw error }
                    return .waitingForUnlock
                }
                try await send(data)
                try FileManager.default.removeItem(at: url)
                count += 1
            }
            return .drained(count)
        }
    }
#endif
