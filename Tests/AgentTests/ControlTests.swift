import AgentControl
import DataProtection
import Foundation
import ProtectedDataNotifications
import ProtectionAgent
import Testing

/// The agent through its socket, as programs use it.
@Suite(.timeLimit(.minutes(1))) struct ControlTests {
    @Test func `it is found by a path in the mount, by the mount and by the volume's folder`()
        throws
    {
        let scene = try AgentScene()
        for path in ["mount", "mount/a/b", "vault"] {
            let found = try MountedVolume.find(scene.scratch.path + "/" + path, in: scene.place)
            #expect(try found.status().identifier == scene.volume.identifier)
        }
        #expect(throws: ProtectionError.notMounted("/elsewhere")) {
            try MountedVolume.find("/elsewhere", in: scene.place)
        }
        // A folder that only begins with the same letters is another one.
        #expect(throws: ProtectionError.self) {
            try MountedVolume.find(scene.scratch.path + "/mountain", in: scene.place)
        }
    }

    @Test func `lock skips the grace and says who holds sealed files`() throws {
        let scene = try AgentScene()
        let mounted = try scene.mounted()
        scene.agent.lockAfterGrace(.screen)
        #expect(try mounted.status().state == .grace)
        let holder = SealedFileHolder(process: 7, program: "vim", paths: ["/mount/a"])
        scene.door.holders.withLock { $0 = [holder] }
        #expect(try mounted.lock() == [holder])
        #expect(scene.volume.lockState == .locked)
        #expect(try mounted.status().reason == .command)
    }

    @Test func `unlock takes the passcode and refuses a wrong one with its own sentence`() throws {
        let scene = try AgentScene()
        let mounted = try scene.mounted()
        try mounted.lock()
        #expect(throws: ProtectionError.wrongPasscode) {
            try mounted.unlock(passcode: Passcode("wrong"))
        }
        #expect(try mounted.status().state == .locked)
        try mounted.unlock(passcode: Passcode(AgentScene.passcode))
        #expect(try mounted.status().state == .unlocked)
        #expect(try mounted.status().reason == nil)
    }

    @Test func `a login's wrong password is tried once and the right passcode lifts that`() throws {
        let scene = try AgentScene(delaysPasscodes: true)
        let mounted = try scene.mounted()
        try mounted.lock()
        for count in 1...10 {
            #expect(throws: ProtectionError.loginPasswordDiffers) {
                try mounted.unlock(passcode: Passcode("login \(count)"), isLogin: true)
            }
        }
        #expect(try scene.volume.wrongPasscodeCount() == 1)
        try mounted.unlock(passcode: Passcode(AgentScene.passcode))
        try mounted.lock()
        try mounted.unlock(passcode: Passcode(AgentScene.passcode), isLogin: true)
    }

    @Test func `a busy mount stays, with a sentence, and force takes it away`() throws {
        let scene = try AgentScene()
        let mounted = try scene.mounted()
        scene.door.isBusy.withLock { $0 = true }
        #expect(throws: ProtectionError.busy(owner: nil)) { try mounted.unmount() }
        #expect(scene.door.wasForced.withLock { $0 } == nil)
    }

    @Test func `availability follows the lock, each change once`() async throws {
        let scene = try AgentScene()
        let mounted = try scene.mounted()
        var answers: [Bool] = []
        for await answer in mounted.protectedDataChanges {
            answers.append(answer)
            switch answers.count {
            case 1: try mounted.lock()
            case 2: try mounted.unlock(passcode: Passcode(AgentScene.passcode))
            default: break
            }
            if answers.count == 3 { break }
        }
        #expect(answers == [true, false, true])
    }

    @Test func `the notifications of a volume of one's own are posted for a mount, too`()
        async throws
    {
        let scene = try AgentScene()
        let mounted = try scene.mounted()
        let names = [
            ProtectedVolume.protectedDataWillBecomeUnavailableNotification,
            ProtectedVolume.protectedDataDidBecomeAvailableNotification,
        ]
        let (heard, posted) = AsyncStream<Int>.makeStream()
        let tokens = names.enumerated().map { index, name in
            NotificationCenter.default.addObserver(forName: name, object: mounted, queue: nil) {
                _ in posted.yield(index)
            }
        }
        let posting = mounted.postNotifications()
        // Again and again, as nobody tells when the agent knows of who watches.
        let locking = Task {
            while !Task.isCancelled {
                try mounted.lock()
                try mounted.unlock(passcode: Passcode(AgentScene.passcode))
                await Task.yield()
            }
        }
        var order = heard.makeAsyncIterator()
        while await order.next() != 0 {}
        #expect(await order.next() == 1)
        locking.cancel()
        try await locking.value
        posting.cancel()
        for token in tokens { NotificationCenter.default.removeObserver(token) }
    }

    @Test func `events come in the order of the lock`() async throws {
        let scene = try AgentScene()
        let mounted = try scene.mounted()
        var events: [LockEvent] = []
        for await event in mounted.lockEvents {
            if events.isEmpty { try mounted.lock() }
            events.append(event)
            if event == .didBecomeUnavailable {
                try mounted.unlock(passcode: Passcode(AgentScene.passcode))
            }
            if event == .didBecomeAvailable { break }
        }
        #expect(
            events == [
                .current(.unlocked), .willBecomeUnavailable, .didBecomeUnavailable,
                .didBecomeAvailable,
            ])
    }

    @Test func `the socket is this user's alone`() throws {
        let scene = try AgentScene()
        let folder = try FileManager.default.attributesOfItem(atPath: scene.place.path)
        #expect(folder[.posixPermissions] as? Int == 0o700)
        let socket = try FileManager.default.attributesOfItem(
            atPath: scene.place.path + "/\(getpid()).socket")
        #expect(socket[.posixPermissions] as? Int == 0o600)
    }

    @Test func `what dead agents left is passed over and removed`() throws {
        let scene = try AgentScene()
        let stale = scene.place.path + "/4194305.socket"  // beyond the highest process number
        #expect(FileManager.default.createFile(atPath: stale, contents: nil))
        #expect(MountedVolume.all(in: scene.place).map(\.process) == [getpid()])
        #expect(!FileManager.default.fileExists(atPath: stale))
    }
}
