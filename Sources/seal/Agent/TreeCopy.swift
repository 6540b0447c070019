import AgentControl
import DataProtection

/// Copies trees into a volume and out of it, by the mount, with the programs of the system that
/// know every kind of file; and compares them afterwards.
enum TreeCopy {
    /// Fills a volume with what is in a folder.
    static func into(_ launch: AgentLaunch, _ passcode: Passcode?, from source: String) throws {
        try makeFolder(launch.folder)
        defer { HostNames.removeFolder(launch.folder) }
        try mounted(launch, passcode) { try copy(source, to: launch.folder) }
        // What is read now is what was written, and not what the kernel still has of it.
        var looking = launch
        looking.isReadOnly = true
        try mounted(looking, passcode) { try compare(source, launch.folder) }
    }

    /// Copies all of a volume to a folder.
    static func out(_ launch: AgentLaunch, _ passcode: Passcode?, to destination: String) throws {
        if try hasEntries(destination) {
            throw Failure(
                "\(destination): the folder is not empty", remedy: "give a new or an empty folder")
        }
        if try HostNames.linkStatus(launch.folder) != nil {
            throw Failure("\(launch.folder): it is there already", remedy: "remove or rename it")
        }
        if try HostNames.status(destination) == nil { try makeFolder(destination) }
        try makeFolder(launch.folder)
        defer { HostNames.removeFolder(launch.folder) }
        try mounted(launch, passcode) {
            try copy(launch.folder, to: destination)
            try compare(launch.folder, destination)
        }
    }

    private static func mounted(
        _ launch: AgentLaunch, _ passcode: Passcode?, _ work: () throws -> Void
    ) throws {
        Interruption.hold()
        do {
            try MountStart.mount(launch, passcode)
            try work()
            try MountStart.unmount(launch.folder)
        } catch {
            // Also while something uses it: nothing may stay behind that is unlocked.
            try? MountStart.unmount(launch.folder, force: true)
            throw error
        }
    }

    private static func copy(_ source: String, to destination: String) throws {
        _ = try run("/bin/cp", ["-a", "--", "\(source)/.", destination])
        _ = try run("/bin/sync", ["-f", destination])
    }

    /// Compares content, and what `find` tells of each entry.
    private static func compare(_ left: String, _ right: String) throws {
        // Names are bytes: what compares them is not this program, which knows UTF-8 alone.
        let script = "cd -- \"$1\" && exec find . -type f ! -exec cmp -s -- {} \"$2\"/{} ';' -print"
        let differing = try run("/bin/sh", ["-c", script, "sh", left, right])
        if !differing.isEmpty {
            let names = String(decoding: differing.prefix(400), as: UTF8.self)
            throw Failure("\(right): what differs from \(left): \(names)")
        }
        // Folders have sizes of the host's own, and the top folder is the user's.
        let shape = [
            "-mindepth", "1", "(", "-type", "d", "-printf", "%P %y %m %U %G %T@\\0", "-o",
            "-printf", "%P %y %m %U %G %T@ %s %n %l\\0", ")",
        ]
        let entries = try [left, right].map { folder in
            let found = try run("/usr/bin/find", [folder] + shape)
            return found.split(separator: 0).map(Array.init)
                .sorted { $0.lexicographicallyPrecedes($1) }
        }
        guard let (first, second) = zip(entries[0], entries[1]).first(where: { $0 != $1 }) else {
            guard entries[0].count == entries[1].count else {
                throw Failure("\(right): it has other entries than \(left)")
            }
            return
        }
        let words = [first, second].map { String(decoding: $0, as: UTF8.self) }
        throw Failure("\(right): '\(words[1])' was '\(words[0])'")
    }

    /// Makes a folder of this user alone.
    static func makeFolder(_ path: String) throws {
        _ = try run("/bin/mkdir", ["-m", "700", "--", path])
    }

    /// Whether there is something in a folder.
    static func hasEntries(_ path: String) throws -> Bool {
        guard try HostNames.status(path) != nil else { return false }
        let first = ["-mindepth", "1", "-maxdepth", "1", "-print", "-quit"]
        return try !run("/usr/bin/find", [path] + first).isEmpty
    }

    /// Runs a program of the system.
    ///
    /// - Returns: what it prints.
    /// - Throws: when it fails; it has said why.
    static func run(_ program: String, _ words: [String]) throws -> [UInt8] {
        let result = Result { () throws(HostFailure) in try ProcessCalls.run(program, words) }
        // A signal breaks the call off, and is then why.
        try Interruption.check()
        let (output, status) = try result.get()
        if status != 0 {
            let said = String(decoding: output.prefix(400), as: UTF8.self)
            throw Failure(
                "\(program) failed with status \(status)" + (said.isEmpty ? "" : ": \(said)"))
        }
        return output
    }
}
