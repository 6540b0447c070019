internal import Synchronization

/// An open file of a volume that another process has mounted.
///
/// The kernel has the key's bytes for nobody but the server: whatever is refused with `EPERM` on
/// an open file is sealed.
final class MountedFile: OpenFile {
    /// `nil` when it is closed: the server learns of that when the descriptor goes.
    private let held: Mutex<(any BackingFile)?>
    private let options: OpenOptions
    /// What was seen of it last, for when it cannot be asked any more.
    private let lastClass: Mutex<ProtectionClass>

    init(
        _ file: any BackingFile, _ options: OpenOptions, _ protectionClass: ProtectionClass?
    ) {
        held = Mutex(file)
        self.options = options
        lastClass = Mutex(protectionClass ?? .completeUntilFirstUserAuthentication)
    }

    var protectionClass: ProtectionClass {
        let file = held.withLock { $0 }
        guard let found = try? file?.userAttributes.value(of: MountWords.classAttribute),
            let found = ProtectionClass(word: found)
        else {
            return lastClass.withLock { $0 }
        }
        lastClass.withLock { $0 = found }
        return found
    }

    var size: Int64 {
        let file = held.withLock { $0 }
        return (try? file?.attributes().byteCount) ?? 0
    }

    func read(
        into bytes: inout MutableSpan<UInt8>, at offset: Int64
    ) throws(ProtectionError) -> Int {
        let file = try opened(.read)
        guard offset >= 0 else { throw .invalidArgument("an offset is not negative") }
        do { return try file.read(into: &bytes, at: offset) } catch { throw failure(error) }
    }

    func write(_ bytes: Span<UInt8>, at offset: Int64) throws(ProtectionError) {
        let file = try opened(.write)
        do { try file.write(bytes, at: offset) } catch { throw failure(error) }
    }

    func truncate(to size: Int64) throws(ProtectionError) {
        let file = try opened(.write)
        do { try file.truncate(to: size) } catch { throw failure(error) }
    }

    func nextData(from offset: Int64) throws(ProtectionError) -> Int64? {
        let file = try opened([])
        do { return try file.nextData(from: offset) } catch { throw failure(error) }
    }

    func nextHole(from offset: Int64) throws(ProtectionError) -> Int64? {
        let file = try opened([])
        do { return try file.nextHole(from: offset) } catch { throw failure(error) }
    }

    func attributes() throws(ProtectionError) -> ItemAttributes {
        let file = try opened([])
        let host = try onHost { () throws(HostError) in try file.attributes() }
        return ItemAttributes(host, size: host.byteCount, protectionClass: protectionClass)
    }

    func setAttributes(_ change: AttributeChange) throws(ProtectionError) {
        let file = try opened([])
        let change = try change.checked()
        try onHost { () throws(HostError) in try file.setAttributes(change) }
    }

    func setProtectionClass(_ protectionClass: ProtectionClass) throws(ProtectionError) {
        let file = try opened([])
        do throws(HostError) {
            try file.userAttributes.set(
                MountWords.classAttribute, to: Array(protectionClass.name.utf8), rule: .set)
        } catch {
            guard error.code == HostError.notPermitted else { throw failure(error) }
            throw .sealedChange(to: protectionClass, .locked)
        }
    }

    func copyUserAttributes(to copy: any OpenFile) throws(ProtectionError) {
        guard let copy = copy as? MountedFile else { return }
        let (source, target) = (try opened([]).userAttributes, try copy.opened([]).userAttributes)
        try onHost { () throws(HostError) in try source.copyOrdinary(to: target) }
    }

    func synchronize(everything: Bool) throws(ProtectionError) {
        let file = try opened([])
        do { try file.sync(everything: everything) } catch { throw failure(error) }
    }

    func require(_ wanted: OpenOptions, _ operation: String) throws(ProtectionError) {
        _ = try opened(wanted)
    }

    func close() { held.withLock { $0 = nil } }

    private func opened(_ wanted: OpenOptions) throws(ProtectionError) -> any BackingFile {
        guard let file = held.withLock({ $0 }) else { throw .closedFile }
        guard options.isSuperset(of: wanted) else {
            throw .wrongAccess(writing: wanted.contains(.write))
        }
        return file
    }

    private func failure(_ error: HostError) -> ProtectionError {
        switch error.code {
        case HostError.notPermitted: .sealed(protectionClass, .locked)
        case HostError.inputOutput: .damaged("it is damaged")
        default: ProtectionError(error)
        }
    }
}

extension ProtectionClass {
    /// The class that the attribute of a mounted file names.
    init?(word: [UInt8]) {
        let word = String(decoding: word, as: UTF8.self)
        guard let found = Self.allCases.first(where: { $0.name == word }) else { return nil }
        self = found
    }
}

extension BackingAttributes {
    /// Copies what is neither a class nor what comes with it.
    func copyOrdinary(to target: any BackingAttributes) throws(HostError) {
        for name in try names()
        where ![MountWords.classAttribute, MountWords.sealedAttribute].contains(name) {
            if let value = try value(of: name) { try target.set(name, to: value, rule: .set) }
        }
    }
}
