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

    @Test(.enabled(if: geteuid() == 0, "needs root"))
    func `leaves no passcode in its memory`() throws {
        let scene = try AgentScene()
        // Here it is only ever in pieces, or wiped.
        let mask = (0..<24).map { _ in UInt8.random(in: 1...15) }
        let hidden = (0..<24).map { _ in UInt8.random(in: 0x61...0x6F) }
        func spoken(_ use: ([UInt8]) throws -> Void) rethrows {
            var bytes = [UInt8](repeating: 0, count: 24)
            for index in 0..<24 { bytes[index] = hidden[index] ^ mask[index] }
            try use(bytes)
            for index in 0..<24 { bytes[index] = 0 }
        }
        try spoken { bytes in
            try scene.volume.changePasscode(
                from: Passcode(AgentScene.passcode), to: Passcode(utf8: bytes))
        }
        func count() throws -> Int {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/python3")
            process.arguments = [
                "-c", Self.search, "\(getpid())", hidden.map { "\($0)" }.joined(separator: ","),
                mask.map { "\($0)" }.joined(separator: ","),
            ]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            let text = String(decoding: output, as: UTF8.self)
            return try #require(Int(text.trimmingCharacters(in: .newlines)))
        }
        try spoken { bytes in
            // The control: what is there is found.
            let found = try count()
            #expect(found > 0 && bytes.count == 24)
        }
        #expect(try count() == 0)
        for _ in 0..<3 {
            try scene.mounted().lock()
            try spoken { try scene.mounted().unlock(passcode: Passcode(utf8: $0)) }
        }
        #expect(try count() == 0)
    }

    private static let search = """
        import re, sys
        hidden, mask = (bytes(map(int, text.split(','))) for text in sys.argv[2:])
        want = bytes(a ^ b for a, b in zip(hidden, mask))
        found = 0
        with open(f'/proc/{sys.argv[1]}/mem', 'rb', 0) as memory:
            for line in open(f'/proc/{sys.argv[1]}/maps'):
                part = re.match(r'([0-9a-f]+)-([0-9a-f]+) rw', line)
                if not part: continue
                start, end = (int(x, 16) for x in part.groups())
                try:
                    memory.seek(start)
                    found += memory.read(end - start).count(want)
                except (OSError, ValueError): pass
        print(found)
        """

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

    @Test func `a list of holders that is longer than a socket's buffer arrives whole`() throws {
        let scene = try AgentScene()
        let paths = (0..<10_000).map { "/home/ada/Vault/a folder with a name/letter \($0).txt" }
        let holder = SealedFileHolder(process: 7, program: "vim", paths: paths)
        scene.door.holders.withLock { $0 = [holder] }
        #expect(try scene.mounted().lock() == [holder])
    }

    @Test func `a client that says nothing, or nonsense, holds nobody up`() throws {
        let scene = try AgentScene()
        var silent: [LocalSocket] = []
        for _ in 0..<600 {
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

    @Test(.enabled(if: geteuid() == 0, "needs root"))
    func `another user is not answered, even where the folder lets them in`() throws {
        let scene = try AgentScene()
        chmod(scene.scratch.path, 0o755)
        let path = scene.place.path + "/\(getpid()).socket"
        let program = """
            import os, socket, sys
            os.setgroups([]); os.setgid(65534); os.setuid(65534)
            client = socket.socket(socket.AF_UNIX)
            try:
                client.connect(sys.argv[1])
                client.sendall(b'{"request":"lock","seal":1}\\n')
                print(len(client.recv(4096)))
            except OSError as error: print(type(error).__name__)
            """
        func attempt() throws -> String {
            let process = Process()
            process.executableURL = URL(filePath: "/usr/bin/python3")
            process.arguments = ["-c", program, path]
            let pipe = Pipe()
            process.standardOutput = pipe
            try process.run()
            let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
            process.waitUntilExit()
            return String(decoding: output, as: UTF8.self)
        }
        #expect(try attempt() == "PermissionError\n")
        chmod(scene.place.path, 0o755)
        chmod(path, 0o666)
        let answer = try attempt()
        #expect(["0\n", "BrokenPipeError\n", "ConnectionResetError\n"].contains(answer))
        #expect(scene.volume.lockState == .unlocked)
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
