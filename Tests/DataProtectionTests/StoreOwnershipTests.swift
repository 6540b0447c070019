import DataProtection
import Foundation
import TestSupport
import Testing

/// One process owns a folder at a time.
@Suite(.scratchFolder) struct `Ownership of a folder` {
    @Test func `excludes a second store of this process`() throws {
        let path = try #require(StoreScratchTrait.folder).path
        let first = try FolderStore(path: path)
        let second = try FolderStore(path: path)
        #expect(try first.ownerProcess() == nil)
        try first.acquireOwnership()
        #expect(code { try second.acquireOwnership() } == HostError.wouldBlock)
        #expect(try second.ownerProcess() == ProcessInfo.processInfo.processIdentifier)
        first.releaseOwnership()
        try second.acquireOwnership()
    }

    @Test func `ends with the store`() throws {
        let path = try #require(StoreScratchTrait.folder).path
        do {
            let first = try FolderStore(path: path)
            try first.acquireOwnership()
        }
        try FolderStore(path: path).acquireOwnership()
    }

    @Test(.timeLimit(.minutes(30))) func `excludes other processes, and ends with them`() throws {
        let folder = try #require(StoreScratchTrait.folder)
        let store = try FolderStore(path: folder.path)
        // The shell says "held" once flock(1) has the lock, and holds it until its input ends.
        let holder = Process()
        holder.executableURL = URL(filePath: "/usr/bin/flock")
        holder.arguments = [
            "--no-fork", "--nonblock", folder.path(of: ReservedName.lock), "sh", "-c",
            "echo held; read line",
        ]
        let (input, output) = (Pipe(), Pipe())
        holder.standardInput = input
        holder.standardOutput = output
        try holder.run()
        #expect(
            String(decoding: output.fileHandleForReading.availableData, as: UTF8.self) == "held\n")
        #expect(code { try store.acquireOwnership() } == HostError.wouldBlock)
        // As in a crash: nothing of the other process runs any more.
        kill(holder.processIdentifier, SIGKILL)
        holder.waitUntilExit()
        try store.acquireOwnership()

        let second = Process()
        second.executableURL = URL(filePath: "/usr/bin/flock")
        second.arguments = ["--nonblock", folder.path(of: ReservedName.lock), "true"]
        try second.run()
        second.waitUntilExit()
        #expect(second.terminationStatus == 1)
    }
}
