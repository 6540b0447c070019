import DataProtection
import Foundation
import TestSupport
import Testing

/// The samples about single files: each is the function, with `in: files` or `files` where the
/// host's file manager was.
@Suite struct `The file samples` {
    private let device: SampleDevice
    private let files: ProtectedFileManager
    private let url: URL
    private let data = Data("blood pressure 120/80".utf8)

    init() throws {
        device = try SampleDevice()
        files = device.files
        url = device.documents.appending(path: "record")
    }

    func saveSensitive(_ data: Data, to url: URL) throws {
        try data.write(to: url, options: [.completeFileProtection], in: files)
    }

    func saveSensitiveData(_ data: Data, to url: URL) throws {
        try data.write(to: url, options: .completeFileProtection, in: files)
    }

    func protectFile(at url: URL) throws {
        try files.setAttributes(
            [.protectionKey: FileProtectionType.complete],
            ofItemAtPath: url.path
        )
    }

    func saveAppData(_ data: Data, to url: URL) throws {
        try data.write(
            to: url, options: .completeFileProtectionUntilFirstUserAuthentication, in: files)
    }

    func cachePublicThumbnail(_ data: Data, to url: URL) throws {
        try data.write(to: url, options: .noFileProtection, in: files)
    }

    func checkFileProtection(at url: URL) throws -> FileProtectionType? {
        let attributes = try files.attributesOfItem(atPath: url.path)
        return attributes[.protectionKey] as? FileProtectionType
    }

    func enableBackgroundAccess(for url: URL) throws {
        try files.setAttributes(
            [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
            ofItemAtPath: url.path
        )
    }

    @Test func `save sensitive data that nobody reads while locked`() throws {
        try saveSensitive(data, to: url)
        #expect(try checkFileProtection(at: url) == .complete)
        try saveSensitiveData(data, to: url)
        #expect(try checkFileProtection(at: url) == .complete)
        device.lock()
        #expect((try? Data(contentsOf: url, in: files)) == nil)
        try device.unlock()
        #expect(try Data(contentsOf: url, in: files) == data)
    }

    @Test func `protect a file that is there`() throws {
        try saveAppData(data, to: url)
        try protectFile(at: url)
        #expect(try checkFileProtection(at: url) == .complete)
        device.lock()
        // On Linux, Foundation says that this was done.
        #expect(throws: CocoaError.self) { try enableBackgroundAccess(for: url) }
        try device.unlock()
        #expect(try checkFileProtection(at: url) == .complete)
    }

    @Test func `lower the class for the background`() throws {
        try saveSensitive(data, to: url)
        try enableBackgroundAccess(for: url)
        device.lock()
        #expect(try Data(contentsOf: url, in: files) == data)
    }

    @Test func `save app data that the background reads after the first unlock`() throws {
        try saveAppData(data, to: url)
        device.lock()
        let inBackground = try? Data(contentsOf: url, in: files)
        #expect(inBackground == data)
    }

    @Test func `cache a thumbnail for everybody`() throws {
        try cachePublicThumbnail(data, to: url)
        #expect(try checkFileProtection(at: url) == FileProtectionType.none)
        device.lock()
        #expect(try Data(contentsOf: url, in: files) == data)
    }

    @Test func `give a folder a class that new files take over`() throws {
        try saveAppData(data, to: url)
        try files.setAttributes(
            [.protectionKey: FileProtectionType.complete],
            ofItemAtPath: device.documents.path
        )
        let new = device.documents.appending(path: "new")
        try data.write(to: new, in: files)
        #expect(try checkFileProtection(at: new) == .complete)
        #expect(
            try checkFileProtection(at: url) == .completeUntilFirstUserAuthentication,
            "what was there keeps its class")
    }

    @Test func `look at the class and switch over it`() throws {
        func level(_ url: URL) -> String {
            guard let protection = try? checkFileProtection(at: url) else { return "unknown" }
            switch protection {
            case .complete: return "maximum"
            case .completeUntilFirstUserAuthentication: return "standard"
            default: return "other"
            }
        }
        #expect(level(url) == "unknown")
        try saveSensitive(data, to: url)
        #expect(level(url) == "maximum")
        try saveAppData(data, to: url)
        #expect(level(url) == "standard")
        try cachePublicThumbnail(data, to: url)
        #expect(level(url) == "other")
    }

    @Test func `store a value that was encoded`() throws {
        struct User: Codable, Equatable { var name: String }
        let user = User(name: "Ada")
        try JSONEncoder().encode(user).write(
            to: url, options: .completeFileProtection, in: files)
        let read = try JSONDecoder().decode(User.self, from: Data(contentsOf: url, in: files))
        #expect(read == user)
    }

    @Test func `sync in the background where complete cannot, and the first unlock's class can`()
        throws
    {
        func performBackgroundSync() -> Data? { try? Data(contentsOf: url, in: files) }
        try saveSensitive(data, to: url)
        device.lock()
        #expect(performBackgroundSync() == nil)
        try device.unlock()
        try saveAppData(data, to: url)
        device.lock()
        #expect(performBackgroundSync() == data)
    }

    /// The function that reads, as printed, throws from a function that does not. It also takes
    /// every 257 for a lock. Here a lock is `nil`, and all else is thrown.
    func readFile(at url: URL) throws -> Data? {
        do {
            return try Data(contentsOf: url, in: files)
        } catch let error as NSError {
            if error.domain == NSCocoaErrorDomain, error.code == NSFileReadNoPermissionError,
                error.isLocked
            {
                return nil
            }
            throw error
        }
    }

    @Test func `read a file, and tell a lock from every other error`() throws {
        try saveSensitive(data, to: url)
        #expect(try readFile(at: url) == data)
        device.lock()
        #expect(try readFile(at: url) == nil)
        #expect(throws: NSError.self) { try readFile(at: device.documents.appending(path: "x")) }
        #expect(throws: NSError.self) { try readFile(at: device.documents) }
    }
}

/// A download that goes on while the device is locked.
@Suite struct `The download sample` {
    private let device: SampleDevice
    private let files: ProtectedFileManager
    private let destination: URL
    private let chunks = [Data("one ".utf8), Data("two ".utf8), Data("three".utf8)]

    init() throws {
        device = try SampleDevice()
        files = device.files
        destination = device.documents.appending(path: "download")
    }

    /// As printed: the file is written empty, and then opened again.
    func startBackgroundDownload(destination: URL) throws -> ProtectedFileHandle {
        try Data().write(to: destination, options: .completeFileProtectionUnlessOpen, in: files)
        return try ProtectedFileHandle(forWritingTo: destination, in: files)
    }

    @Test func `goes on through a lock when it began unlocked`() throws {
        let fileHandle = try startBackgroundDownload(destination: destination)
        try fileHandle.write(contentsOf: chunks[0])
        device.lock()
        try fileHandle.write(contentsOf: chunks[1])
        try fileHandle.write(contentsOf: chunks[2])
        try fileHandle.close()
        let error = #expect(throws: CocoaError.self) {
            try ProtectedFileHandle(forReadingFrom: destination, in: files)
        }
        #expect((error?.underlying as? POSIXError)?.code == .EPERM)
        try device.unlock()
        #expect(try Data(contentsOf: destination, in: files) == Data(chunks.joined()))
    }

    /// Opening the new file again fails, as it does on a device; made in one step it works.
    @Test func `begins while locked when it is made in one step`() throws {
        device.lock()
        let error = #expect(throws: CocoaError.self) {
            try startBackgroundDownload(destination: destination)
        }
        #expect(error?.isLocked == true)
        try files.removeItem(at: destination)
        let fileHandle = try files.createFile(at: destination, protection: .completeUnlessOpen)
        for chunk in chunks { try fileHandle.write(contentsOf: chunk) }
        try fileHandle.close()
        try device.unlock()
        #expect(try Data(contentsOf: destination, in: files) == Data(chunks.joined()))
    }
}
