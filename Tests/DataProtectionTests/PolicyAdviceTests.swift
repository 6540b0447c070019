import DataProtection
import Foundation
import TestSupport
import Testing

/// The seeds' tables about choosing, row by row, and measured on a volume.
@Suite struct PolicyAdviceTests {
    /// A row: what it is, its class, and whether it can be read while locked.
    struct Row: Sendable, CustomTestStringConvertible {
        let content: PolicyContent
        var need: PolicyNeed?
        let protectionClass: ProtectionClass
        let isReadableWhileLocked: Bool
        var isReadableWhileOpen = false
        var testDescription: String { "\(content.rawValue) \(need?.rawValue ?? "")" }
    }

    /// Seed 004, quick reference, and the chooser of seed 000. Of public caches and temporary
    /// files the seeds disagree; the default is ours.
    static let rows: [Row] = [
        Row(content: .healthRecord, protectionClass: .complete, isReadableWhileLocked: false),
        Row(content: .financialRecord, protectionClass: .complete, isReadableWhileLocked: false),
        Row(
            content: .appData, protectionClass: .completeUntilFirstUserAuthentication,
            isReadableWhileLocked: true),
        Row(
            content: .largeDownload, protectionClass: .completeUnlessOpen,
            isReadableWhileLocked: false, isReadableWhileOpen: true),
        Row(
            content: .database, protectionClass: .completeUntilFirstUserAuthentication,
            isReadableWhileLocked: true),
        Row(
            content: .downloadedImage, protectionClass: .completeUntilFirstUserAuthentication,
            isReadableWhileLocked: true),
        Row(
            content: .publicCache, protectionClass: .completeUntilFirstUserAuthentication,
            isReadableWhileLocked: true),
        Row(
            content: .temporaryFile, protectionClass: .completeUntilFirstUserAuthentication,
            isReadableWhileLocked: true),
        Row(content: .privateDocument, protectionClass: .complete, isReadableWhileLocked: false),
        Row(content: .shareInbox, protectionClass: .complete, isReadableWhileLocked: false),
        Row(
            content: .backgroundCapture, protectionClass: .completeUnlessOpen,
            isReadableWhileLocked: false, isReadableWhileOpen: true),
        // Lowering it for background work, the seeds' third pattern.
        Row(
            content: .healthRecord, need: .afterFirstUnlock,
            protectionClass: .completeUntilFirstUserAuthentication, isReadableWhileLocked: true),
        Row(
            content: .database, need: .whileUnlocked, protectionClass: .complete,
            isReadableWhileLocked: false),
        Row(
            content: .appData, need: .always, protectionClass: .none, isReadableWhileLocked: true),
    ]

    @Test(arguments: rows)
    func `the advice gives the row's class, and a volume the row's answers`(row: Row) throws {
        let advice = PolicyAdvice(for: row.content, need: row.need)
        guard case .file(let protectionClass) = advice.answer else {
            Issue.record("no file: \(advice)")
            return
        }
        #expect(protectionClass == row.protectionClass)
        #expect(!advice.reason.isEmpty)
        let rig = try VolumeRig()
        try rig.volume.write([1], to: "f", class: protectionClass)
        let open = try rig.volume.openFile("f")
        rig.volume.lock()
        #expect(((try? rig.volume.read("f")) != nil) == row.isReadableWhileLocked)
        let isOpen = (try? open.read(at: 0, count: 1)) != nil
        #expect(isOpen == (row.isReadableWhileLocked || row.isReadableWhileOpen))
    }

    /// Seed 004, the levels: until when each is encrypted, and who reads it when.
    @Test(arguments: [
        (ProtectionClass.complete, [false, true, false], false),
        (.completeUnlessOpen, [false, true, false], true),
        (.completeUntilFirstUserAuthentication, [false, true, true], false),
        (.none, [true, true, true], false),
    ])
    func `each level is readable before the first unlock, unlocked and locked as its row says`(
        protectionClass: ProtectionClass, readable: [Bool], isCreatedWhileLocked: Bool
    ) throws {
        let states: [LockState] = [.beforeFirstUnlock, .unlocked, .locked]
        for (state, expected) in zip(states, readable) {
            let rig = try VolumeRig()
            try rig.volume.write([1], to: "f", class: protectionClass)
            try rig.enter(state)
            #expect(((try? rig.volume.read("f")) != nil) == expected, "\(state)")
            guard state == .locked,
                protectionClass.isStricter(than: .completeUntilFirstUserAuthentication)
            else { continue }
            let created = (try? rig.volume.write([1], to: "g", class: protectionClass)) != nil
            #expect(created == isCreatedWhileLocked)
        }
    }

    /// Seed 004, keychain or file.
    @Test(arguments: [
        (PolicyContent.credential, nil as Int?, true), (.smallSecret, 3000, true),
        (.credential, 5000, false), (.privateDocument, 100, false), (.smallSecret, nil, true),
    ])
    func `small secrets go to their store, and files stay files`(
        content: PolicyContent, byteCount: Int?, isSecret: Bool
    ) throws {
        let advice = PolicyAdvice(for: content, byteCount: byteCount)
        guard isSecret else {
            #expect(advice.answer == .file(.complete))
            return
        }
        #expect(advice.answer == .secret(.whenUnlocked))
        let background = PolicyAdvice(
            for: content, need: .afterFirstUnlock, byteCount: byteCount)
        #expect(background.answer == .secret(.afterFirstUnlock))
    }
}
