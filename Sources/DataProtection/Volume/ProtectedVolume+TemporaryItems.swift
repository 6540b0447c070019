internal import Cryptography

/// Temporary files and folders, in a folder of their own so that leftovers are known as such.
extension ProtectedVolume {
    /// Where a program's temporary files are.
    static let temporaryFolder = "tmp"
    static let temporaryItems = temporaryFolder + "/TemporaryItems"

    /// A new path for a temporary item, in a folder that is there.
    ///
    /// - Parameter pathExtension: what its name ends in, after a dot; empty for nothing. What
    ///   would make the name too long is left out.
    func temporaryPath(extension pathExtension: String = "") throws(ProtectionError) -> String {
        for folder in [Self.temporaryFolder, Self.temporaryItems] {
            do throws(ProtectionError) {
                try makeFolder(folder)
            } catch {
                guard error.code == .exists else { throw error }
            }
        }
        let name = sessionName + "-" + Base64URL.encode(SecureRandom.bytes(9))
        let full = pathExtension.isEmpty ? name : name + "." + pathExtension
        let fits = EntryName.fault(of: Array(full.utf8)) == nil
        return Self.temporaryItems + "/" + (fits ? full : name)
    }

    /// Removes the temporary items of earlier sessions. No key is needed for it. What cannot be
    /// removed now is tried again when the volume is next opened.
    package func sweepTemporaryItems() {
        // A link that somebody put there must not lead to what is none of ours.
        for folder in [Self.temporaryFolder, Self.temporaryItems] {
            guard let found = try? attributes(of: folder), found.kind == .folder else { return }
        }
        for entry in (try? list(Self.temporaryItems)) ?? []
        where !entry.name.hasPrefix(sessionName) {
            try? removeTree(Self.temporaryItems + "/" + entry.name, changesModes: true)
        }
    }
}
