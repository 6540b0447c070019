import AgentControl
import DataProtection
import Foundation
import Testing

/// The documented line of a PAM configuration, in a stack like Debian's.
@Suite(.timeLimit(.minutes(2))) struct LoginTests {
    private static let library = "/usr/lib/x86_64-linux-gnu/libpam_wrapper.so"
    private static let matrix = "/usr/lib/x86_64-linux-gnu/pam_wrapper/pam_matrix.so"

    private static let items = "/usr/lib/x86_64-linux-gnu/pam_wrapper/pam_set_items.so"

    private static var isPossible: Bool {
        [library, matrix, "/usr/bin/pamtester"].allSatisfy {
            FileManager.default.fileExists(atPath: $0)
        }
    }

    /// Logs in as PAM does it.
    private static func logIn(_ password: String, _ scene: AgentScene) throws -> Bool {
        let folder = scene.scratch.path + "/pam"
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        let user = NSUserName()
        try "\(user):\(AgentScene.passcode):sealed\n".write(
            toFile: folder + "/users", atomically: true, encoding: .utf8)
        let seal = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
            .deletingLastPathComponent().appending(path: "seal").path
        let line = "\(seal) unlock --login"
        let stack = [
            "[success=1 default=ignore] \(matrix) passdb=\(folder)/users",
            "requisite pam_deny.so",
            "required pam_permit.so",
            // The stand-in for pam_unix keeps the password to itself; this hands it on.
            "required \(items)",
            "optional pam_exec.so expose_authtok quiet /usr/bin/env XDG_RUNTIME_DIR="
                + "\(scene.scratch.path) \(line)",
        ]
        try stack.map { "auth \($0)\n" }.joined().write(
            toFile: folder + "/sealed", atomically: true, encoding: .utf8)
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/pamtester")
        process.arguments = ["sealed", user, "authenticate"]
        process.environment = [
            "LD_PRELOAD": library, "PAM_WRAPPER": "1", "PAM_WRAPPER_SERVICE_DIR": folder,
            "PATH": "/usr/bin:/bin", "PAM_AUTHTOK": password,
        ]
        let input = Pipe()
        process.standardInput = input
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        try process.run()
        try input.fileHandleForWriting.write(contentsOf: Data((password + "\n").utf8))
        try input.fileHandleForWriting.close()
        process.waitUntilExit()
        return process.terminationStatus == 0
    }

    @Test func `ten wrong logins cost no try of the passcode and a right one unlocks`() throws {
        if !Self.isPossible { try Test.cancel("needs pam_wrapper and pamtester") }
        let scene = try AgentScene(delaysPasscodes: true)
        scene.agent.lock(.screen)
        for count in 1...10 {
            #expect(try !Self.logIn("wrong \(count)", scene))
        }
        #expect(scene.volume.lockState == .locked)
        #expect(try scene.volume.wrongPasscodeCount() == 0)
        #expect(try Self.logIn(AgentScene.passcode, scene))
        #expect(scene.volume.lockState == .unlocked)
    }
}
