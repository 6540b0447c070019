import DataProtection
import Foundation
import TestSupport
import Testing

/// The samples about a whole app. Those that have no form on Linux are the nearest real thing.
@Suite struct `The app samples` {
    private let device: SampleDevice
    private let files: ProtectedFileManager
    private let data = Data("content".utf8)

    init() throws {
        device = try SampleDevice()
        files = device.files
    }

    func configureDefaultFileProtection() {
        let directories: [FileManager.SearchPathDirectory] = [
            .documentDirectory,
            .applicationSupportDirectory,
        ]
        for directory in directories {
            guard let url = files.urls(for: directory, in: .userDomainMask).first else { continue }
            try? files.setAttributes(
                [.protectionKey: FileProtectionType.completeUntilFirstUserAuthentication],
                ofItemAtPath: url.path
            )
        }
    }

    /// There is no application delegate: a program's `main` calls it, with the volume open, in
    /// every lock state.
    @Test(arguments: [false, true])
    func `give the standard folders a class when the program starts`(locked: Bool) throws {
        if locked { device.lock() }
        configureDefaultFileProtection()
        for directory in [
            FileManager.SearchPathDirectory.documentDirectory, .applicationSupportDirectory,
        ] {
            let url = files.urls(for: directory, in: .userDomainMask)[0]
            #expect(try device.recordedClass(of: url) == .completeUntilFirstUserAuthentication)
            try data.write(to: url.appending(path: "f"), in: files)
            #expect(
                try device.recordedClass(of: url.appending(path: "f"))
                    == .completeUntilFirstUserAuthentication)
        }
    }

    /// Core Data's store option, and SwiftData's `ModelContainer` in a folder with a class: a
    /// folder of its own for the database, so that its side files have the class as well.
    @Test func `keep a database and its side files in a folder with a class`() throws {
        let appSupportURL = files.urls(for: .applicationSupportDirectory, in: .userDomainMask)[0]
        let folder = appSupportURL.appending(path: "Database")
        try files.createDirectory(
            at: folder, withIntermediateDirectories: true,
            attributes: [.protectionKey: FileProtectionType.complete])
        for name in ["app.sqlite", "app.sqlite-wal", "app.sqlite-journal"] {
            let url = folder.appending(path: name)
            _ = try files.createFile(at: url)
            #expect(try device.recordedClass(of: url) == .complete)
        }
        // Shared memory is mapped and holds no content; a stronger class would kill the program.
        let shared = folder.appending(path: "app.sqlite-shm")
        _ = try files.createFile(at: shared)
        #expect(try device.recordedClass(of: shared) == .completeUntilFirstUserAuthentication)
        device.lock()
        #expect(throws: CocoaError.self) {
            try ProtectedFileHandle(forUpdating: folder.appending(path: "app.sqlite"), in: files)
        }
    }

    /// `SecItemAdd` with `kSecAttrAccessibleWhenUnlocked`.
    @Test func `keep a small secret, added once`() throws {
        let secrets = device.volume.secrets
        let passwordData = Data("secret".utf8)
        try secrets.add(passwordData, forKey: "userPassword", accessibility: .whenUnlocked)
        // errSecDuplicateItem
        let duplicate = #expect(throws: ProtectionError.self) {
            try secrets.add(
                Data("other".utf8), forKey: "userPassword", accessibility: .whenUnlocked)
        }
        #expect(duplicate?.code == .exists)
        device.lock()
        // errSecInteractionNotAllowed, and never errSecItemNotFound
        let locked = #expect(throws: ProtectionError.self) { try secrets.read("userPassword") }
        #expect(locked?.code == .sealed)
        try device.unlock()
        #expect(try secrets.read("userPassword") == passwordData)
    }

    /// A file in the iCloud container is protected here, and elsewhere as elsewhere does it. What a
    /// program that copies the volume's folder to a cloud gets to see is encrypted, whatever the
    /// class.
    @Test func `leave nothing readable in a folder that is copied to a cloud`() throws {
        let host = try ScratchFolder()
        let device = try SampleDevice(at: host.path(of: "volume"))
        let canary = Data("canary-\(UUID().uuidString)".utf8)
        let options: [ProtectedWritingOptions] = [
            .completeFileProtection, .completeFileProtectionUnlessOpen,
            .completeFileProtectionUntilFirstUserAuthentication, .noFileProtection,
        ]
        for (index, option) in options.enumerated() {
            try canary.write(
                to: device.documents.appending(path: "file-\(index)"), options: option,
                in: device.files)
        }
        try device.volume.close()
        let names = try FileManager.default.subpathsOfDirectory(atPath: host.path)
        #expect(names.count >= 5)
        for name in names {
            #expect(!name.contains("file-"))
            let bytes = try? Data(contentsOf: URL(filePath: host.path(of: name)))
            #expect(bytes?.range(of: canary) == nil)
        }
    }

    /// The entitlement that sets an app's default class is one value of the volume's configuration.
    @Test func `take an app's default class from its entitlement`() throws {
        let entitlement = "NSFileProtectionComplete"
        let volume = try ProtectedVolume.inMemory(
            configuration: VolumeConfiguration(
                defaultClass: try #require(ProtectionClass(named: entitlement))),
            passcode: nil, deviceKey: try DeviceKey.inMemory())
        let url = volume.files.rootURL.appending(path: "f")
        try data.write(to: url, in: volume.files)
        #expect(try volume.protectionClass(of: "f") == .complete)
    }

    @Test func `wait for the first unlock after a restart`() throws {
        let host = try ScratchFolder()
        let key = try DeviceKey.inMemory()
        let passcode = try Passcode("1234")
        let configuration = VolumeConfiguration(
            passcodeCost: KeyDerivationCost(passCount: 1, memoryByteCount: 8192))
        let made = try ProtectedVolume.create(
            at: host.path, configuration: configuration, passcode: passcode, deviceKey: key)
        for type in ProtectionClass.allCases.map(\.fileProtectionType) {
            try made.files.createFile(
                atPath: type.rawValue, contents: data, attributes: [.protectionKey: type])
        }
        try made.close()
        let volume = try ProtectedVolume.open(at: host.path, deviceKey: key)
        func isReadable(_ type: FileProtectionType) -> Bool {
            (try? volume.files.contents(atPath: type.rawValue)) == data
        }
        #expect(isReadable(.none))
        #expect(!isReadable(.completeUntilFirstUserAuthentication))
        #expect(!isReadable(.completeUnlessOpen))
        #expect(!isReadable(.complete))
        try volume.unlock(passcode: passcode)
        #expect(isReadable(.complete))
        volume.lock()
        #expect(isReadable(.completeUntilFirstUserAuthentication))
        try volume.close()
    }
}

/// The three places where data leaves its protection.
@Suite struct `The leak samples` {
    private let device: SampleDevice
    private let files: ProtectedFileManager
    private let original: URL

    init() throws {
        device = try SampleDevice()
        files = device.files
        original = device.documents.appending(path: "attachment.pdf")
        try Data("attachment".utf8).write(
            to: original, options: .completeFileProtection, in: files)
    }

    @Test func `show an attachment through a temporary file of its class`() throws {
        let temporary = try files.temporaryFile(like: original)
        try temporary.write(contentsOf: Data(contentsOf: original, in: files))
        #expect(try device.recordedClass(of: temporary.url) == .complete)
        device.lock()
        #expect((try? Data(contentsOf: temporary.url, in: files)) == nil)
        try files.removeItem(at: temporary.url)
    }

    @Test func `cache a thumbnail under the class of its original`() throws {
        let caches = files.urls(for: .cachesDirectory, in: .userDomainMask)[0]
        let thumbnail = caches.appending(path: "attachment.png")
        let type = try files.attributesOfItem(atPath: original.path)[.protectionKey]
        try files.createFile(
            atPath: thumbnail.path, contents: Data([1]), attributes: [.protectionKey: type as Any])
        #expect(try device.recordedClass(of: thumbnail) == .complete)
        let copy = caches.appending(path: "copy.pdf")
        try files.copyItem(at: original, to: copy)
        #expect(try device.recordedClass(of: copy) == .complete)
    }

    /// A volume's URL is no place on the host, so nothing leaves by mistake.
    @Test func `let nothing leave through the host's own calls`() throws {
        let host = try ScratchFolder()
        let exported = URL(filePath: host.path(of: "exported"))
        #expect(throws: (any Error).self) {
            try FileManager.default.copyItem(at: original, to: exported)
        }
        #expect(throws: (any Error).self) { try files.copyItem(at: original, to: exported) }
        #expect(throws: (any Error).self) { try Data([1]).write(to: original, options: .atomic) }
        #expect(!FileManager.default.fileExists(atPath: exported.path))
        // Leaving is a step that can be seen in the code.
        try Data(contentsOf: original, in: files).write(to: exported)
        #expect(try Data(contentsOf: exported) == Data("attachment".utf8))
    }
}
