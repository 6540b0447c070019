internal import DataProtection

extension DatabaseVFS {
    /// Removes a file. A transaction is committed when its journal is gone for good, so the folder
    /// is synchronised where SQLite asks for it.
    ///
    /// - Returns: whether it was there.
    func remove(_ path: String, durably: Bool) throws(ProtectionError) -> Bool {
        let volume = try volume()
        let kept = withState { $0.kept.removeValue(forKey: path) }
        _ = kept
        do throws(ProtectionError) {
            try volume.removeFile(path)
        } catch {
            guard error.code == .missing else { throw error }
            return false
        }
        if durably { try volume.synchronizeFolder(VolumeNames.folder(of: path)) }
        return true
    }

    /// Whether a file is there, in every lock state. An empty one counts as none where SQLite asks
    /// for a journal: so does its own layer for Unix.
    ///
    /// - Throws: what keeps the answer from being known; never taken for "missing".
    func isThere(_ path: String, countsEmpty: Bool) throws(ProtectionError) -> Bool {
        do throws(ProtectionError) {
            let found = try volume().attributes(of: path, followingLinks: true)
            return countsEmpty || found.kind != .file || found.size > 0 || found.damage != nil
        } catch {
            guard error.code == .missing || error.code == .notFolder else { throw error }
            return false
        }
    }

    /// Whether another file has a file's name by now, or none.
    func hasMoved(_ file: OpenFile) -> Bool {
        guard let path = file.path else { return false }
        return (try? file.volume.attributes(of: path, followingLinks: true))?.identity
            != file.file.identity
    }
}
