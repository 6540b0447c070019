import AgentControl
import DataProtection
import Foundation
import ProtectionAgent
import SessionLock
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

    @Test func `a client that says nothing, or nonsense, holds nobody up`() throws {
        let scene = try AgentScene()
        var silent: [LocalSocket] = []
        for _ in 0..<80 {
            let socket = try LocalSocket.connect(scene.place.path, "\(getpid()).socket")
            silent.append(socket)
        }
        for nonsense in [
            "\n", "{}\n", "{\"seal\":2,\"request\":\"lock\"}\n", "x\u{0}y\n",
            "{\"seal\":1,\"request\":\"unlock\",\"passcodeByteCount\":-1}\n",
            "{\"seal\":1,\"request\":\"unlock\"}\n", String(repeating: "a", count: 5000),
        ] {
            let socket = try LocalSocket.connect(scene.place.path, "\(getpid()).socket")
            try socket.write(Array(nonsense.utf8))
            var buffer = [UInt8](repeating: 0, count: 4096)
            let count = try socket.read(into: &buffer, at: 0)
            let text = String(decoding: buffer[..<count], as: UTF8.self)
            #expect(text.contains("\"error\""), "\(nonsense): \(text)")
            let rest = try socket.read(into: &buffer, at: 0)
            #expect(rest == 0)
        }
        try scene.mounted().lock()
        #expect(scene.volume.lockState == .locked)
        silent = []
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

/// What the agent does by itself.
@Suite(.timeLimit(.minutes(1))) struct AgentTests {
    @Test func `sleep and lid end a grace, and a screen that comes back takes it back`() throws {
        let scene = try AgentScene()
        scene.agent.hear(.screenLocked)
        #expect(scene.volume.lockState == .grace)
        scene.agent.hear(.screenUnlocked)
        #expect(scene.volume.lockState == .unlocked)
        for event in [SessionEvent.willSleep, .lidClosed] {
            scene.agent.hear(.screenLocked)
            scene.agent.hear(event)
            #expect(scene.volume.lockState == .locked)
            scene.agent.hear(.screenUnlocked)
            #expect(scene.volume.lockState == .locked)
            try scene.agent.unlock(passcode: Passcode(AgentScene.passcode), isLogin: false)
        }
    }

    @Test func `what locked it is told, not what came later`() throws {
        let scene = try AgentScene()
        scene.agent.hear(.lidClosed)
        scene.agent.hear(.willSleep)
        scene.agent.hear(.screenLocked)
        #expect(scene.agent.status.reason == .lid)
    }

    @Test func `a lock that comes while the passcode is tried wins`() throws {
        let scene = try AgentScene()
        scene.agent.lock(.command)
        let agent = scene.agent
        // The lock is asked for between the key derivation and its end.
        let observation = scene.volume.observeLock { event in
            guard event == .didBecomeAvailable else { return }
            let isDone = DispatchSemaphore(value: 0)
            DispatchQueue.global().async {
                agent.lock(.screen)
                isDone.signal()
            }
            isDone.wait()
        }
        #expect(throws: ProtectionError.lockedMeanwhile) {
            try scene.agent.unlock(passcode: Passcode(AgentScene.passcode), isLogin: false)
        }
        #expect(scene.volume.lockState == .locked)
        observation.cancel()
    }

    @Test func `idle time counts from the last use`() {
        var idle = IdleTime(limit: 60)
        let looks: [(useCount: UInt64, now: Double, isOver: Bool)] = [
            (0, 1000, false), (0, 1059, false), (1, 1061, false), (1, 1120, false),
            (1, 1121, true), (1, 1122, false),
        ]
        for look in looks {
            let isOver = idle.isOver(useCount: look.useCount, now: look.now)
            #expect(isOver == look.isOver, "\(look)")
        }
    }
}
