internal import Cryptography
internal import Synchronization

extension ProtectedVolume {
    /// Removes from a folder what calls that a crash interrupted left half made: no name of the
    /// volume leads to it. Allowed in every lock state.
    ///
    /// Only where nobody is making anything in the folder at the same time.
    func sweepLeftovers(in path: String) throws(ProtectionError) {
        try place(path) { () throws(ProtectionError) in
            let parsed = try VolumePath(path)
            try withNames { names, metadata throws(ProtectionError) in
                let backing = try names.folder(at: parsed.names, core, metadata).backing
                for entry in try onHost({ () throws(HostError) in try backing.list() }) {
                    guard case .temporary = ReservedName.role(of: entry.name, inTopFolder: false)
                    else { continue }
                    try core.session.beginWriting(core.keyring)
                    if entry.kind == .folder {
                        sweep(entry.name, in: backing)
                    } else {
                        try onHost { () throws(HostError) in try backing.removeFile(entry.name) }
                    }
                }
            }
        }
    }
}
