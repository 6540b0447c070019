import DataProtection
import Foundation
import Synchronization

/// A program that keeps its state in one file, as the reported ones do.
struct StateClient {
    let volume: ProtectedVolume
    let path: String
    var protectionClass: ProtectionClass?

    /// What is stored; nothing when there is no file yet. Every other error is the caller's.
    func load() throws(ProtectionError) -> [String] {
        do throws(ProtectionError) {
            let bytes = try volume.read(path)
            return String(decoding: bytes, as: UTF8.self).split(separator: "\n").map(String.init)
        } catch {
            if error.code == .missing { return [] }
            throw error
        }
    }

    /// Adds a line to what is stored.
    func add(_ line: String) throws(ProtectionError) {
        let lines = try load() + [line]
        try volume.write(
            Array(lines.joined(separator: "\n").utf8), to: path, class: protectionClass)
    }
}

/// All that the host holds, to see that nothing has changed.
struct HostView: Equatable {
    private var nodes: [String: HostAttributes] = [:]
    private var contents: [String: [UInt8]] = [:]

    init(_ store: any BackingStore) throws {
        try look(store.root, "")
    }

    private mutating func look(_ folder: any BackingFolder, _ path: String) throws {
        for entry in try folder.list() {
            // The lock is held anew by each process.
            if entry.name == ".lock" { continue }
            let place = "\(path)/\(entry.name)"
            nodes[place] = try folder.attributes(of: entry.name)
            switch entry.kind {
            case .folder: try look(folder.openFolder(entry.name), place)
            case .regular:
                let file = try folder.openFile(entry.name, writable: false)
                var bytes = [UInt8](repeating: 0, count: Int(try file.attributes().byteCount))
                var span = bytes.mutableSpan
                _ = try file.read(into: &span, at: 0)
                contents[place] = bytes
            case .symlink: contents[place] = Array(try folder.readSymlink(entry.name).utf8)
            default: break
            }
        }
    }

    /// How many files, folders and links there are.
    var count: Int { nodes.count }

    /// Whether these bytes stand anywhere in content, names or links.
    func contains(_ needle: [UInt8]) -> Bool {
        contents.values.contains { $0.contains(needle) }
            || nodes.keys.contains { Array($0.utf8).contains(needle) }
    }
}

/// A line that stands nowhere else.
let canary = Array("canary 7b1f6e0a9d".utf8)

/// Something that one thread tells another.
final class Flag: Sendable {
    private let value = Atomic(false)

    var isUp: Bool { value.load(ordering: .acquiring) }

    func raise() { value.store(true, ordering: .releasing) }

    func lower() { value.store(false, ordering: .releasing) }
}

/// Work on threads of its own: what spins there keeps no test from going on.
final class Crew: Sendable {
    private let threads = DispatchGroup()

    func start(_ work: @escaping @Sendable () -> Void) {
        threads.enter()
        Thread { [threads] in
            work()
            threads.leave()
        }.start()
    }

    /// Waits until all are done.
    func wait() { threads.wait() }
}
