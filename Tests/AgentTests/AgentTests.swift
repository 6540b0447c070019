import AgentControl
import DataProtection
import Foundation
import ProtectionAgent
import SessionLock
import Testing

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
        scene.volume.unlockHook = { _ in agent.hear(.screenLocked) }
        #expect(throws: ProtectionError.lockedMeanwhile) {
            try scene.mounted().unlock(passcode: Passcode(AgentScene.passcode))
        }
        #expect(scene.volume.lockState == .locked)
        scene.volume.unlockHook = nil
        try scene.mounted().unlock(passcode: Passcode(AgentScene.passcode))
    }

    @Test func `a lock does not wait for passcodes that are tried`() throws {
        let scene = try AgentScene()
        let agent = scene.agent
        agent.lock(.command)
        let isTried = DispatchSemaphore(value: 0)
        let mayGoOn = DispatchSemaphore(value: 0)
        scene.volume.unlockHook = { _ in
            isTried.signal()
            mayGoOn.wait()
        }
        let sockets = try (0..<70).map { _ in
            let socket = try LocalSocket.connect(scene.place.path, "\(getpid()).socket")
            let count = AgentScene.passcode.utf8.count
            let line = "{\"seal\":1,\"request\":\"unlock\",\"passcodeByteCount\":\(count)}\n"
            try socket.write(Array((line + AgentScene.passcode).utf8))
            return socket
        }
        isTried.wait()
        try scene.mounted().lock()
        #expect(scene.volume.lockState == .locked)
        for _ in sockets { mayGoOn.signal() }
        var buffer = [UInt8](repeating: 0, count: 4096)
        for socket in sockets {
            let count = try socket.read(into: &buffer, at: 0)
            #expect(String(decoding: buffer[..<count], as: UTF8.self).contains("\"sealed\""))
        }
        #expect(scene.volume.lockState == .locked)
    }

    @Test func `a command at the lock may read and print, and the next one still comes`()
        async throws
    {
        var launch = try AgentScene().agent.launch
        let scene = try AgentScene()
        let log = scene.scratch.path + "/log"
        launch.onLock = "cat; seq 100000; echo \"$SEAL_STATE\" >> '\(log)'"
        launch.onUnlock = launch.onLock
        let agent = Agent(scene.volume, door: scene.door, launch: launch)
        let hooks = Hooks(agent)
        agent.lock(.command)
        try agent.unlock(passcode: Passcode(AgentScene.passcode), isLogin: false)
        while (try? String(contentsOfFile: log, encoding: .utf8)) != "locked\nunlocked\n" {
            try await Task.sleep(for: .milliseconds(10))
        }
        _ = hooks
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
