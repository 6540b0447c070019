private import Cryptography

extension BackingFolder {
    /// Writes a small file so that after a power cut it is the old one or the new one.
    ///
    /// New file, `fsync`, rename, `fsync` of the folder; a leftover of a crash is named `.new-…`.
    /// - Parameters:
    ///   - bytes: the whole content.
    ///   - name: its name.
    ///   - rule: `replace`, or `exclusive` to fail with `EEXIST`.
    package func writeDurably(
        _ bytes: [UInt8], as name: String, rule: HostRenameRule = .replace
    ) throws(HostError) {
        let temporary = ReservedName.random(ReservedName.newRecord)
        let file = try createFile(temporary, mode: 0o600)
        do throws(HostError) {
            try file.write(bytes.span, at: 0)
            try file.sync(everything: true)
            try rename(temporary, to: self, as: name, rule: rule)
        } catch {
            try? removeFile(temporary)
            throw error
        }
        try sync()
    }

    /// Destroys what interrupted calls of `writeDurably` left: a keybag among it would still open.
    ///
    /// Only for the process that owns the volume, before it writes.
    package func destroyLeftRecords() throws(HostError) {
        let left = try list().filter {
            $0.name.hasPrefix(ReservedName.newRecord) && $0.kind == .regular
        }
        guard !left.isEmpty else { return }
        for entry in left { try destroyFile(entry.name) }
        try sync()
    }

    /// Overwrites a small file with zeros, durably, and removes it.
    package func destroyFile(_ name: String) throws(HostError) {
        let file = try openFile(name, writable: true)
        let byteCount = try file.attributes().byteCount
        let zeros = [UInt8](repeating: 0, count: Int(min(max(0, byteCount), 1 << 16)))
        try file.write(zeros.span, at: 0)
        try file.sync(everything: true)
        try removeFile(name)
    }

    /// The whole content of a small file.
    ///
    /// - Parameter byteCountMaximum: at most so many bytes are read.
    package func readAll(_ name: String, byteCountMaximum: Int) throws(HostError) -> [UInt8] {
        let file = try openFile(name, writable: false)
        var bytes = [UInt8](repeating: 0, count: byteCountMaximum)
        var span = bytes.mutableSpan
        let count = try file.read(into: &span, at: 0)
        bytes.removeLast(byteCountMaximum - count)
        return bytes
    }
}
