import DataProtection
import Foundation
import ProtectedMount
import TestSupport
import Testing

/// What this machine lacks for a test; the reasons stand in Tests/allowed-skips.txt.
enum Machine {
    /// Whether a volume can be mounted here.
    static let mounts = access("/dev/fuse", R_OK | W_OK) == 0 && geteuid() == 0

    /// Whether a program is installed.
    static func has(_ program: String) -> Bool {
        ["/usr/bin/", "/bin/", "/usr/local/bin/"].contains { access($0 + program, X_OK) == 0 }
    }
}

/// A volume mounted in this process, in folders that are there for one test.
///
/// They are not below /tmp: editors treat files there in another way.
final class MountRig: Sendable {
    static let passcode = try! Passcode("1234")
    static let cost = KeyDerivationCost(passCount: 1, memoryByteCount: 8192)

    let base: String
    let path: String
    let volume: ProtectedVolume
    let mount: ProtectedMount

    init(
        class defaultClass: ProtectionClass = .completeUntilFirstUserAuthentication,
        options: ProtectedMount.Options = ProtectedMount.Options()
    ) throws {
        base = try Self.makeFolder()
        let mountPoint = base + "/mount"
        try FileManager.default.createDirectory(
            atPath: mountPoint, withIntermediateDirectories: true)
        volume = try ProtectedVolume.create(
            at: base + "/host",
            configuration: VolumeConfiguration(
                defaultClass: defaultClass, passcodeCost: Self.cost),
            passcode: Self.passcode, deviceKey: DeviceKey.loadOrCreate(at: base + "/key"))
        mount = try ProtectedMount(volume, at: mountPoint, options: options)
        path = mount.path
    }

    deinit {
        try? mount.unmount(force: true)
        try? volume.close()
        try? FileManager.default.removeItem(atPath: base)
    }

    /// A new folder in the package's build folder.
    static func makeFolder() throws -> String {
        let package = URL(filePath: #filePath).deletingLastPathComponent()
            .deletingLastPathComponent().deletingLastPathComponent()
        let folder = package.appending(path: ".build/mount-tests/\(UUID().uuidString)").path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        return folder
    }

    /// Removes such a folder, also when a process that was killed has left a mount in it.
    static func remove(_ base: String) {
        let detach: Int32 = 2
        _ = umount2(base + "/mount", detach)
        try? FileManager.default.removeItem(atPath: base)
    }

    /// The path of an entry in the mount.
    func at(_ name: String) -> String { path + "/" + name }

    func unlock() throws { try volume.unlock(passcode: Self.passcode) }
}

/// What a call of the C library answered: 0 or the error number.
func failure(_ body: () -> Int) -> Int32 { body() < 0 ? errno : 0 }

/// The same for calls that return an `int`.
func failure(_ body: () -> Int32) -> Int32 { body() < 0 ? errno : 0 }

/// A file's bytes, read with one `read(2)` after another.
func bytes(at path: String) throws -> [UInt8] { Array(try Data(contentsOf: URL(filePath: path))) }

/// Writes a whole file, in place.
func put(_ text: String, _ path: String) throws {
    try Data(text.utf8).write(to: URL(filePath: path))
}

/// Runs a program to its end.
@discardableResult
func run(_ words: [String], in folder: String? = nil) throws -> (status: Int32, output: String) {
    let process = Process()
    process.executableURL = URL(filePath: "/usr/bin/env")
    process.arguments = words
    if let folder { process.currentDirectoryURL = URL(filePath: folder) }
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    process.standardInput = FileHandle.nullDevice
    var environment = ProcessInfo.processInfo.environment
    environment["GIT_CONFIG_NOSYSTEM"] = "1"
    environment["HOME"] = folder ?? "/"
    environment["TERM"] = "xterm"
    process.environment = environment
    try process.run()
    let output = try pipe.fileHandleForReading.readToEnd() ?? Data()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
}
