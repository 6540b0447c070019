package import DataProtection

/// Does every operation on real files of every class, in the lock state that a volume is in, and
/// notes what happens. Each operation has a file of its own, so that none depends on another.
package struct DemoTrial {
    private let volume: ProtectedVolume
    private let state: LockState
    private let handles: [String: ProtectedFile]

    /// What every file holds.
    package static let content = Array("only the owner may read this".utf8)

    /// Prepares to try a volume in its present state.
    ///
    /// - Parameter handles: those that `openHandles(_:)` opened while it was unlocked.
    package init(_ volume: ProtectedVolume, handles: [String: ProtectedFile] = [:]) {
        self.volume = volume
        self.handles = handles
        state = volume.lockState
    }

    /// Makes the files that are tried in all states. The volume is unlocked.
    package static func makeFiles(in volume: ProtectedVolume) throws {
        for protectionClass in ProtectionClass.allCases {
            try volume.makeFolder(protectionClass.name, class: protectionClass)
            for state in states {
                for operation in DemoOperation.allCases where operation != .create {
                    let path = path(protectionClass, state, operation)
                    try volume.write(content, to: path)
                    try volume.write(content, to: openPath(path))
                }
            }
        }
    }

    /// The states in which the demonstration tries everything.
    package static let states: [LockState] = [.beforeFirstUnlock, .unlocked, .locked]

    /// Opens the handles that are used before and after the lock. The volume is unlocked.
    package static func openHandles(_ volume: ProtectedVolume) throws -> [String: ProtectedFile] {
        var handles: [String: ProtectedFile] = [:]
        for protectionClass in ProtectionClass.allCases {
            for state in states where state != .beforeFirstUnlock {
                for operation in [DemoOperation.readOpenHandle, .writeOpenHandle, .lower, .raise] {
                    let path = openPath(path(protectionClass, state, operation))
                    handles[path] = try volume.openFile(path, .readWrite)
                }
            }
        }
        return handles
    }

    /// Where the file of an operation is.
    package static func path(
        _ protectionClass: ProtectionClass, _ state: LockState, _ operation: DemoOperation
    ) -> String {
        "\(protectionClass.name)/\(state.rawValue)-\(operation.rawValue)"
    }

    /// Where the file is that is open before an operation.
    private static func openPath(_ path: String) -> String { path + "-open" }

    /// Tries everything.
    package func rows() -> [DemoRow] {
        ProtectionClass.allCases.flatMap { protectionClass in
            DemoOperation.allCases.map { operation in
                DemoRow(protectionClass, state, operation, result(protectionClass, operation))
            }
        }
    }

    private func result(_ protectionClass: ProtectionClass, _ operation: DemoOperation) -> String {
        let path = Self.path(protectionClass, state, operation)
        return switch operation {
        case .create: attempt { try create(path, protectionClass) }
        case .read: attempt { try requireContent(try volume.read(path)) }
        case .write: attempt { try overwrite(path) }
        case .readOpenHandle:
            onHandle(path) {
                try requireContent(try $0.read(at: 0, count: Self.content.count + 1))
            }
        case .writeOpenHandle: onHandle(path) { try $0.write(Self.content, at: 0) }
        case .reopen: reopen(path, protectionClass)
        case .stat: attempt { try look(path, protectionClass) }
        case .list: attempt { try find(path, in: protectionClass.name) }
        case .rename: attempt { try rename(path) }
        case .delete: attempt { try delete(path) }
        case .lower: change(path, protectionClass, to: protectionClass.nextWeaker)
        case .raise: change(path, protectionClass, to: protectionClass.nextStricter)
        }
    }

    /// The outcome of doing something, in one word.
    private func attempt(_ body: () throws -> Void) -> String {
        do {
            try body()
            return "ok"
        } catch let error as ProtectionError {
            return Self.name(of: error)
        } catch {
            return "\(error)"
        }
    }

    private func onHandle(_ path: String, _ body: (ProtectedFile) throws -> Void) -> String {
        guard let handle = handles[Self.openPath(path)] else { return DemoRow.notApplicable }
        return attempt { try body(handle) }
    }

    /// The name of an error number, for the few that can be expected here.
    private static func name(of error: ProtectionError) -> String {
        let names: [Int32: String] = [
            1: "EPERM", 2: "ENOENT", 5: "EIO", 9: "EBADF", 12: "ENOMEM", 13: "EACCES", 17: "EEXIST",
            22: "EINVAL", 28: "ENOSPC",
        ]
        return names[error.errorNumber] ?? "errno \(error.errorNumber)"
    }
}

// MARK: - The operations

extension DemoTrial {
    /// The engine did something else than it said.
    private struct Unexpected: Error, CustomStringConvertible {
        let description: String
    }

    private func create(_ path: String, _ protectionClass: ProtectionClass) throws {
        let file = try volume.openFile(
            path, [.readWrite, .create, .exclusive], class: protectionClass)
        defer { file.close() }
        try file.write(Self.content, at: 0)
        try requireContent(try file.read(at: 0, count: Self.content.count))
    }

    private func overwrite(_ path: String) throws {
        let file = try volume.openFile(path, .write)
        defer { file.close() }
        try file.write(Self.content, at: 0)
    }

    private func reopen(_ path: String, _ protectionClass: ProtectionClass) -> String {
        let made = path + "-made"
        guard attempt({ try create(made, protectionClass) }) == "ok" else {
            return DemoRow.notApplicable
        }
        return attempt { try requireContent(try volume.read(made)) }
    }

    private func look(_ path: String, _ protectionClass: ProtectionClass) throws {
        let attributes = try volume.attributes(of: path)
        guard attributes.protectionClass == protectionClass,
            attributes.size == Int64(Self.content.count)
        else { throw Unexpected(description: "another file") }
    }

    private func find(_ path: String, in folder: String) throws {
        guard try volume.list(folder).contains(where: { path == "\(folder)/\($0.name)" }) else {
            throw Unexpected(description: "not listed")
        }
    }

    private func rename(_ path: String) throws {
        try volume.rename(path, to: path + "-renamed")
        _ = try volume.attributes(of: path + "-renamed")
    }

    private func delete(_ path: String) throws {
        try volume.removeFile(path)
        guard (try? volume.attributes(of: path)) == nil else {
            throw Unexpected(description: "still there")
        }
    }

    /// Changes the class of a closed file by its name, and that of another file through a handle
    /// that is open; both must have the same outcome.
    private func change(
        _ path: String, _ present: ProtectionClass, to wanted: ProtectionClass?
    ) -> String {
        guard let wanted else { return DemoRow.notApplicable }
        let byName = attempt { try volume.setProtectionClass(wanted, of: path) }
        let now = try? volume.protectionClass(of: path)
        guard now == (byName == "ok" ? wanted : present) else { return "class \(now?.name ?? "?")" }
        guard let handle = handles[Self.openPath(path)] else { return byName }
        let throughHandle = attempt { try handle.setProtectionClass(wanted) }
        return byName == throughHandle ? byName : "\(byName), through a handle \(throughHandle)"
    }

    private func requireContent(_ bytes: [UInt8]) throws {
        guard bytes == Self.content else { throw Unexpected(description: "other bytes") }
    }
}
