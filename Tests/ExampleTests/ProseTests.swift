import DataProtection
import DataProtectionTesting
import Foundation
import ProseLibrary
import SimulatedDevice
import Testing

/// The prose editor's library, on a phone.
@Suite struct `The prose editor` {
    private let device: SimulatedDevice
    private let store: DocumentStore
    private let index: LibraryIndex
    private let document = Document(id: "1", title: "Dawn", text: "Dawn\nIt was light again.")

    init() throws {
        device = try SimulatedDevice()
        store = try DocumentStore(in: device.files)
        index = try LibraryIndex(of: store, in: device.files)
    }

    @Test func `writes one kind of file in the app and in the extension, under one class`() throws {
        let files = try device.files
        try store.save(document)
        let clipping = try ClippingExtension(in: files)
        #expect(try clipping.receive("Found\nsomewhere", id: "2") == .kept("2"))
        for id in try store.identifiers() {
            try expectClass(
                of: store.url(of: id), is: .complete, policy: DocumentStore.protection, in: files)
        }
        #expect(try store.document("2").title == "Found")
    }

    @Test func `has an index of the default class, without a word of what is written`() throws {
        try store.save(document)
        #expect(try index.rebuild() == ["1": 5])
        try expectClass(
            of: index.url, is: .completeUntilFirstUserAuthentication,
            policy: LibraryIndex.protection, in: device.files)
        let text = try String(contentsOf: index.url, encoding: .utf8, in: device.files)
        #expect(!text.contains("Dawn"))
    }

    @Test func `shows how much there is while locked, and nothing of what`() throws {
        try store.save(document)
        try index.rebuild()
        device.lockInThePocket()
        #expect(try index.wordCounts() == ["1": 5])
        let error = #expect(throws: CocoaError.self) { try store.document("1") }
        #expect(error?.isLocked == true)
        #expect(try store.identifiers() == ["1"])
    }

    @Test func `makes its index again when it is gone, but not because it is sealed`() throws {
        try store.save(document)
        try index.rebuild()
        try device.reboot()
        var store = try DocumentStore(in: device.files)
        var index = try LibraryIndex(of: store, in: device.files)
        let sealed = #expect(throws: CocoaError.self) { try index.wordCounts() }
        #expect(sealed?.isLocked == true)
        #expect(try device.files.fileExists(atPath: index.url.path))

        try device.unlock(passcode: SimulatedDevice.passcode)
        try device.files.removeItem(at: index.url)
        device.lockInThePocket()
        let locked = #expect(throws: CocoaError.self) { try index.wordCounts() }
        #expect(locked?.isLocked == true)
        #expect(try !device.files.fileExists(atPath: index.url.path))
        try device.killApp()
        try device.unlock(passcode: SimulatedDevice.passcode)
        store = try DocumentStore(in: device.files)
        index = try LibraryIndex(of: store, in: device.files)
        #expect(try index.wordCounts() == ["1": 5])
    }

    @Test func `keeps no clipping while locked, and none under a weaker class`() throws {
        device.lockInThePocket()
        let clipping = try ClippingExtension(in: device.files)
        #expect(try clipping.receive("Found", id: "2") == .waitingForUnlock)
        #expect(try store.identifiers().isEmpty)
        try device.unlock(passcode: SimulatedDevice.passcode)
        #expect(try clipping.receive("Found", id: "2") == .kept("2"))
    }

    @Test func `has what was saved when the power fails`() throws {
        try store.save(document)
        var changed = document
        changed.text += " And warm."
        try store.save(changed)
        for seed in 0..<8 as Range<UInt64> {
            try device.cutPower(seed: seed)
            try device.boot()
            try device.unlock(passcode: SimulatedDevice.passcode)
            #expect(try DocumentStore(in: device.files).document("1") == changed)
        }
    }
}
