import AgentControl
import DataProtection

extension Command {
    static let protect = Command(
        "protect", "set the class of a file or folder in a mounted volume",
        operands: [Operand("PATH", .hostFile, repeats: true)],
        options: [.protectionClass, ClassOption.recursive],
        details: """
            PATH is a file or folder below a mount. For a folder the class is that of what is made
            in it from now on; with --recursive everything below it gets the class, too. Symbolic
            links are not followed. What cannot be changed is said, and the rest is changed.
            """,
        examples: [
            "seal protect ~/Vault/letter.pdf --class complete",
            "seal protect ~/Vault/letters --class complete --recursive",
        ],
        run: runProtect)

    private static func runProtect(_ arguments: Arguments) throws {
        let wanted = try arguments.value(.protectionClass, choices: Arguments.classChoices) {
            ProtectionClass(named: $0)
        }
        guard let wanted else { throw arguments.failure("--class is missing") }
        let isRecursive = arguments.has(ClassOption.recursive)
        var failures: [ExitCode] = []
        for path in arguments.operands {
            try MountedTree.walk(path, isRecursive: isRecursive) { item in
                do throws(ProtectionError) {
                    guard item.kind == .file || item.kind == .folder else { return }
                    try MountedItem.setProtectionClass(wanted, at: item.path)
                } catch {
                    let failure = Failure(error)
                    failures.append(failure.exitCode)
                    Terminal.report(failure)
                }
            }
        }
        guard let first = failures.first else { return }
        throw Reported(exitCode: Set(failures).count == 1 ? first : .failed)
    }

    static let tree = Command(
        "tree", "show what is in a mounted volume, with classes and what is sealed",
        operands: [Operand("PATH", .hostFolder)],
        details: """
            PATH is a folder below a mount. Each line has the class, in brackets while the file is
            sealed; a folder's is that of what is made in it.
            """,
        examples: ["seal tree ~/Vault"],
        run: runTree)

    private static func runTree(_ arguments: Arguments) throws {
        try MountedTree.walk(arguments.operands[0], isRecursive: true) { item in
            let indent = String(repeating: "  ", count: item.depth)
            let name = Terminal.showsOutput ? Terminal.harmless(item.name) : item.name
            try Output.line(
                HelpText.padded(try className(item), to: 40) + indent + name
                    + (item.kind == .folder ? "/" : ""))
        }
    }

    private static func className(_ item: MountedTree.Item) throws -> String {
        guard item.kind == .file || item.kind == .folder else { return "-" }
        do throws(ProtectionError) {
            guard let found = try MountedItem.protectionClass(at: item.path) else { return "-" }
            return try MountedItem.isSealed(at: item.path) ? "[\(found.name)]" : found.name
        } catch {
            guard error.code == .damaged else { throw error }
            return "(damaged)"
        }
    }
}

/// Folders of the host, gone through from the top down.
enum MountedTree {
    /// One thing that was found.
    struct Item {
        let path: String
        let name: String
        let depth: Int
        let kind: ItemKind
    }

    /// Tells of a place and, if wanted, of everything below it, sorted by name.
    static func walk(
        _ path: String, isRecursive: Bool, _ body: (Item) throws -> Void
    ) throws {
        let top = path.count > 1 && path.hasSuffix("/") ? String(path.dropLast()) : path
        var rest = [(path: top, name: top, depth: 0)]
        while let (path, name, depth) = rest.popLast() {
            guard let status = try HostNames.linkStatus(path) else {
                if depth > 0 { continue }
                throw Failure("\(path): no such file or folder")
            }
            let kind: ItemKind = status.isFolder ? .folder : status.isRegular ? .file : .symlink
            try body(Item(path: path, name: name, depth: depth, kind: kind))
            guard isRecursive, kind == .folder else { continue }
            let below = try MountedItem.entries(of: path).sorted(by: >)
            rest += below.map { (path + "/" + $0, $0, depth + 1) }
        }
    }
}
