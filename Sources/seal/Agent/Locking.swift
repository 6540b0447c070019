import AgentControl
import DataProtection

extension Command {
    static let lock = Command(
        "lock", "lock mounted volumes now",
        operands: [.mounted],
        details: """
            Without WHERE all volumes of this user that are mounted. No grace: when the command
            ends, the keys of class complete are gone. Programs that hold sealed files are named;
            their files answer EPERM until the unlock, and then go on.
            """,
        examples: ["seal lock", "seal lock ~/Vault"],
        run: runLock)

    static let unlock = Command(
        "unlock", "unlock a mounted volume",
        operands: [.mounted], options: [.passcodeFile, AgentOption.login],
        details: """
            With --login, for a line in a PAM configuration: every volume of the user who logs in
            is tried with the password on standard input, and nobody is asked. A password that is
            not a volume's passcode is tried there once, until an unlock by hand.
            """,
        examples: ["seal unlock", "seal unlock ~/Vault --passcode-file FILE"],
        run: runUnlock)

    private static func runLock(_ arguments: Arguments) throws {
        let volumes = try arguments.mountedVolumes()
        if volumes.isEmpty { throw ProtectionError.nothingMounted }
        var failures: [any Error] = []
        for volume in volumes {
            do {
                // What a caller had open is open here, too.
                for holder in try volume.lock() where holder.process != FolderCalls.process {
                    Terminal.note(holder.sentence)
                }
            } catch {
                failures.append(error)
            }
        }
        // One that does not answer keeps no other one open.
        if let first = failures.first { throw first }
    }

    private static func runUnlock(_ arguments: Arguments) throws {
        if arguments.has(AgentOption.login) { return try unlockForLogin(arguments) }
        let volume = try arguments.mountedVolume()
        guard try volume.status().state != .unlocked else { return }
        let passcode: Passcode
        if let path = arguments.value(.passcodeFile) {
            passcode = try Secrets.passcode(inFile: path)
        } else if Terminal.canAsk {
            passcode = try Secrets.askPasscode()
        } else {
            throw Failure(
                "there is no terminal to ask for the passcode",
                remedy: "give --passcode-file FILE", exitCode: .usage)
        }
        try volume.unlock(passcode: passcode)
    }

    /// What PAM runs: it never asks, and says nothing where nothing is mounted.
    private static func unlockForLogin(_ arguments: Arguments) throws {
        var password = AgentProcess.readPassword()
        defer { ProcessCalls.wipe(&password) }
        guard !password.isEmpty else { return }
        let passcode = try Passcode(utf8: password)
        var failure: (any Error)?
        for volume in try volumesOfLogin(arguments) {
            guard let status = try? volume.status(), status.state != .unlocked else { continue }
            do {
                try volume.unlock(passcode: passcode, isLogin: true)
            } catch {
                failure = failure ?? error
            }
        }
        if let failure { throw failure }
    }

    private static func volumesOfLogin(_ arguments: Arguments) throws -> [MountedVolume] {
        if FolderCalls.user == 0, let name = try ProcessStart.environment("PAM_USER"),
            let user = AgentProcess.user(named: name), user != 0
        {
            return AgentFolder.ofUser(user).map { MountedVolume.all(in: $0) } ?? []
        }
        // Before the first login there is no folder, and nothing is mounted.
        return (try? MountedVolume.all()) ?? []
    }
}

extension SealedFileHolder {
    /// What it holds, in words.
    var sentence: String {
        let shown = paths.prefix(3).joined(separator: ", ")
        let more = paths.count > 3 ? " and \(paths.count - 3) more" : ""
        return "\(program), process \(process), holds sealed files: \(shown)\(more)"
    }
}
