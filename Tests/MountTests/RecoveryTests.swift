import DataProtection
import Foundation
import ProtectedMount
import Testing

/// What goes wrong with mounts, and what is said of it.
@Suite("Mounting", .enabled(if: Machine.mounts, "needs root and /dev/fuse"))
struct RecoveryTests {
    private func error(_ body: () throws -> Void) -> ProtectionError? {
        do {
            try body()
            return nil
        } catch {
            return error as? ProtectionError
        }
    }

    @Test func `says in one sentence why it is not done`() throws {
        let rig = try MountRig()
        let twice = error { _ = try ProtectedMount(rig.volume, at: rig.path) }
        #expect(twice?.code == .busy && twice?.message == "something is mounted there already")
        let full = error { _ = try ProtectedMount(rig.volume, at: rig.base) }
        #expect(full?.code == .exists && full?.place == rig.base)
        let missing = error { _ = try ProtectedMount(rig.volume, at: rig.base + "/nothing") }
        #expect(missing?.code == .missing && missing?.remedy == "make it first: mkdir")
        let file = error { _ = try ProtectedMount(rig.volume, at: rig.base + "/key") }
        #expect(file?.code == .notFolder)
        for failure in [twice, full, missing] { #expect(failure?.remedy.isEmpty == false) }
    }

    @Test func `ends when it is told to, and can be done again`() async throws {
        let rig = try MountRig()
        try put("x", rig.at("f"))
        try rig.mount.unmount()
        await rig.mount.waitUntilUnmounted()
        #expect(failure { access(rig.at("f"), F_OK) } == ENOENT)
        let again = try ProtectedMount(rig.volume, at: rig.path)
        #expect(try bytes(at: rig.at("f")) == Array("x".utf8))
        let file = open(rig.at("f"), O_RDONLY)
        #expect(error { try again.unmount() }?.code == .busy)
        try again.unmount(force: true)
        #expect(failure { access(rig.at("f"), F_OK) } == ENOENT)
        var byte: UInt8 = 0
        #expect(pread(file, &byte, 1, 0) == 1)
        close(file)
        await again.waitUntilUnmounted()
    }

    @Test func `takes the place of one whose process was killed, and nothing synced is lost`()
        throws
    {
        let base = try MountRig.makeFolder()
        defer { MountRig.remove(base) }
        let (host, mount) = (base + "/host", base + "/mount")
        mkdir(mount, 0o755)
        var driver = try MountDriverProcess(host, mount)
        let file = open(mount + "/f", O_RDWR | O_CREAT, 0o600)
        #expect(write(file, "synced", 6) == 6 && fsync(file) == 0)
        // What the kernel remembers of the folder is no sign of life.
        var status = stat()
        #expect(failure { stat(mount, &status) } == 0)
        driver.conversation.end()
        close(file)
        #expect(failure { stat(mount, &status) } == 0)
        driver = try MountDriverProcess(host, mount)
        #expect(try bytes(at: mount + "/f") == Array("synced".utf8))
        driver.conversation.end()
        // By way of a link, too.
        symlink(mount, base + "/link")
        driver = try MountDriverProcess(host, base + "/link")
        #expect(try bytes(at: mount + "/f") == Array("synced".utf8))
        driver.conversation.say("unmount")
        #expect(driver.conversation.line() == "unmounted")
    }

    @Test func `does not hide a volume's own folder behind itself`() throws {
        let rig = try MountRig()
        try rig.mount.unmount()
        for path in [rig.base + "/host/in", rig.base + "/host/in/deep"] {
            mkdir(path, 0o755)
            let refused = error { _ = try ProtectedMount(rig.volume, at: path) }
            #expect(refused?.code == .invalidArgument)
            #expect(refused?.message.contains("among its ciphertext") == true)
        }
    }

    @Test func `leaves no plaintext in the memory of its process at a lock`() throws {
        let base = try MountRig.makeFolder()
        defer { MountRig.remove(base) }
        mkdir(base + "/mount", 0o755)
        let driver = try MountDriverProcess(
            base + "/host", base + "/mount", "--class", "complete")
        let words = (0..<4).map { "canary \(UUID().uuidString) \($0) canary" }
        let kept = open(base + "/mount/kept", O_RDWR | O_CREAT, 0o600)
        defer { close(kept) }
        let text = words.joined() + String(repeating: "-", count: 200_000)
        #expect(write(kept, text, text.utf8.count) == text.utf8.count)
        try put(text, base + "/mount/closed")
        #expect(try bytes(at: base + "/mount/closed").count == text.utf8.count)
        // The control: while it is written, the search finds it.
        let writer = Overwriting(kept, String(repeating: words.joined(), count: 4000))
        #expect(try writer.isFound(words[0], in: driver.conversation.process))
        driver.conversation.say("lock")
        #expect(driver.conversation.line()?.hasPrefix("locked") == true)
        #expect(writer.refusal == EPERM)
        for word in words {
            #expect(try MountMemory.count(of: word, in: driver.conversation.process) == 0)
        }
        driver.conversation.say("unlock")
        #expect(driver.conversation.line() == "unlocked")
        var read = [UInt8](repeating: 0, count: 6)
        #expect(pread(kept, &read, 6, 0) == 6 && read == Array("canary".utf8))
    }
}

/// The driver, once it serves.
final class MountDriverProcess {
    let conversation: Conversation

    init(_ words: String...) throws {
        // The driver is built beside the tests.
        let own = try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")
        let driver = URL(filePath: own).deletingLastPathComponent().appending(path: "MountDriver")
        // Lazy binding spills vector registers, with plaintext in them, onto the stack (ld.so(8)).
        conversation = try Conversation(["LD_BIND_NOW=1", driver.path] + words)
        let line = conversation.line()
        #expect(line == "ready")
    }

    deinit {
        conversation.end()
    }
}

/// Writes a text over a file again and again, until it is refused.
private final class Overwriting: @unchecked Sendable {
    private let isOver = DispatchSemaphore(value: 0)
    private var failure: Int32 = 0

    init(_ file: Int32, _ text: String) {
        Thread.detachNewThread { [self] in
            let bytes = Array(text.utf8)
            // A lock may cut one short.
            while pwrite(file, bytes, bytes.count, 0) >= 0 {}
            failure = errno
            isOver.signal()
        }
    }

    /// With which error it ended.
    var refusal: Int32 {
        isOver.wait()
        return failure
    }

    /// Stops a process at one moment after another, until a word of the text is in its memory.
    func isFound(_ word: String, in process: Int32) throws -> Bool {
        for _ in 0..<500 {
            kill(process, SIGSTOP)
            defer { kill(process, SIGCONT) }
            if try MountMemory.count(of: word, in: process) > 0 { return true }
        }
        return false
    }
}

/// Searches the memory of another process.
enum MountMemory {
    static func count(of text: String, in process: Int32) throws -> Int {
        let program = """
            import re, sys
            want = sys.argv[2].encode()
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
        let result = try run(["python3", "-c", program, String(process), text])
        return Int(result.output.trimmingCharacters(in: .whitespacesAndNewlines)) ?? -1
    }
}
