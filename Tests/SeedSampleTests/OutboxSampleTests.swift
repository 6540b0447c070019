import DataProtection
import Foundation
import TestSupport
import Testing

/// What a drain of the outbox came to.
enum DrainStatus: Equatable, Sendable {
    case drained(Int)
    case waitingForUnlock
}

/// An outbox of class `complete` that waits for the unlock.
@MainActor
final class ProtectedOutbox {
    private let folder: URL
    private let files: ProtectedFileManager
    private let application: UIApplication

    init(folder: URL, files: ProtectedFileManager, application: UIApplication) {
        self.folder = folder
        self.files = files
        self.application = application
    }

    /// Puts an entry in; nobody reads it while the device is locked.
    func save(_ data: Data, named name: String) throws {
        try files.createDirectory(at: folder, withIntermediateDirectories: true)
        try data.write(
            to: folder.appending(path: name), options: [.atomic, .completeFileProtection],
            in: files)
    }

    /// Sends what is there. The device may be locked while a send is under way.
    func drain(send: (Data) async throws -> Void) async throws -> DrainStatus {
        guard application.isProtectedDataAvailable else { return .waitingForUnlock }
        let entries = try files.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
        var sent = 0
        for file in entries.sorted(by: { $0.lastPathComponent < $1.lastPathComponent }) {
            guard application.isProtectedDataAvailable else { return .waitingForUnlock }
            let data: Data
            do {
                data = try Data(contentsOf: file, in: files)
            } catch  where !application.isProtectedDataAvailable {
                return .waitingForUnlock
            }
            try await send(data)
            try files.removeItem(at: file)
            sent += 1
        }
        return .drained(sent)
    }

    /// Calls back at each unlock.
    func onUnlock(_ resume: @escaping @MainActor () -> Void) -> any NSObjectProtocol {
        NotificationCenter.default.addObserver(
            forName: UIApplication.protectedDataDidBecomeAvailableNotification,
            object: nil, queue: .main
        ) { _ in
            MainActor.assumeIsolated { resume() }
        }
    }
}

/// The outbox of the first sample.
@MainActor @Suite struct `The outbox sample` {
    private let device: SampleDevice
    private let application: UIApplication
    private let outbox: ProtectedOutbox
    private let folder: URL

    init() throws {
        device = try SampleDevice()
        application = UIApplication(device.volume)
        folder = device.documents.appending(path: "outbox")
        outbox = ProtectedOutbox(folder: folder, files: device.files, application: application)
    }

    @Test func `records the class of what it saves`() throws {
        try outbox.save(Data("entry".utf8), named: "1")
        #expect(try device.recordedClass(of: folder.appending(path: "1")) == .complete)
        device.lock()
        #expect(throws: CocoaError.self) {
            try outbox.save(Data("entry".utf8), named: "2")
        }
        #expect(try device.files.contentsOfDirectory(atPath: folder.path) == ["1"])
    }

    @Test func `drains in order, and removes what was sent`() async throws {
        for name in ["2", "3", "1"] { try outbox.save(Data(name.utf8), named: name) }
        var sent: [String] = []
        let status = try await outbox.drain { sent.append(String(decoding: $0, as: UTF8.self)) }
        #expect(status == .drained(3))
        #expect(sent == ["1", "2", "3"])
        #expect(try device.files.contentsOfDirectory(atPath: folder.path).isEmpty)
        #expect(try await outbox.drain { _ in } == .drained(0))
    }

    @Test func `waits for the unlock, and resumes then`() async throws {
        try outbox.save(Data("entry".utf8), named: "1")
        device.lock()
        #expect(try await outbox.drain { _ in } == .waitingForUnlock)
        var resumed = 0
        let token = outbox.onUnlock { resumed += 1 }
        defer { NotificationCenter.default.removeObserver(token) }
        try device.unlock()
        while resumed == 0 { try await Task.sleep(for: .milliseconds(1)) }
        #expect(try await outbox.drain { _ in } == .drained(1))
    }

    @Test func `stops where a lock comes during a send`() async throws {
        for name in ["1", "2", "3"] { try outbox.save(Data(name.utf8), named: name) }
        let device = device
        let status = try await outbox.drain { data in
            if data == Data("2".utf8) { device.lock() }
        }
        #expect(status == .waitingForUnlock)
        #expect(try device.files.contentsOfDirectory(atPath: folder.path) == ["3"])
    }

    @Test func `stops where a lock comes between the check and the read`() async throws {
        try outbox.save(Data("entry".utf8), named: "1")
        var questions = 0
        let device = device
        application.wasAsked = {
            questions += 1
            if questions == 2 { device.lock() }
        }
        #expect(try await outbox.drain { _ in Issue.record("sent") } == .waitingForUnlock)
        #expect(questions == 3)
        application.wasAsked = {}
        try device.unlock()
        #expect(try await outbox.drain { _ in } == .drained(1))
    }

    @Test func `creates a capture while locked that opens after the unlock`() throws {
        device.lock()
        let url = device.documents.appending(path: "capture")
        try Data("capture".utf8).write(
            to: url, options: [.atomic, .completeFileProtectionUnlessOpen], in: device.files)
        let error = #expect(throws: CocoaError.self) {
            try Data(contentsOf: url, in: device.files)
        }
        #expect(error?.isLocked == true)
        try device.unlock()
        #expect(try Data(contentsOf: url, in: device.files) == Data("capture".utf8))
    }

    @Test func `shares a container whose writers each set the class`() throws {
        let group = "group.org.example.training"
        let container = try #require(
            device.files.containerURL(forSecurityApplicationGroupIdentifier: group))
        // The app and its extension are two writers of one kind of file.
        for writer in ["app", "extension"] {
            let url = container.appending(path: writer)
            try Data(writer.utf8).write(
                to: url, options: [.atomic, .completeFileProtection], in: device.files)
            #expect(try device.recordedClass(of: url) == .complete)
        }
    }

    /// The table of the four classes: readable while locked, created while locked.
    @Test(arguments: [
        (FileProtectionType.none, true, true),
        (.completeUntilFirstUserAuthentication, true, true),
        (.completeUnlessOpen, false, true), (.complete, false, false),
    ])
    func `finds the table of the four classes`(
        type: FileProtectionType, readable: Bool, creatable: Bool
    ) throws {
        let url = device.documents.appending(path: "f")
        try device.files.createFile(
            atPath: url.path, contents: Data("content".utf8), attributes: [.protectionKey: type])
        let open = try ProtectedFileHandle(forReadingFrom: url, in: device.files)
        device.lock()
        #expect(((try? Data(contentsOf: url, in: device.files)) != nil) == readable)
        #expect(((try? open.readToEnd()) != nil) == (type != .complete))
        let new = device.documents.appending(path: "new")
        let made = try? device.files.createFile(at: new, protection: type)
        #expect((made != nil) == creatable)
    }
}
