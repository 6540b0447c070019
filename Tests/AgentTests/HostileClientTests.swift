import AgentControl
import DataProtection
import Foundation
import ProtectionAgent
import Testing

/// What clients cannot do to an agent, and what it keeps of what they say.
@Suite(.timeLimit(.minutes(1))) struct HostileClientTests {
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
}
