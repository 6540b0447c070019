import DataProtection
import Glibc

extension ModelRun {
    /// Compares every name, attribute, link and content that can be looked at now.
    func compareTrees() throws {
        var folders = [""]
        var identities: [UInt64: UInt64] = [:]
        while let folder = folders.popLast() {
            try compare(.attributes(folder, follows: false))
            try compare(.userAttributeNames(folder))
            try compare(.list(folder))
            guard case .names(let names) = plain.perform(.list(folder)) else { continue }
            for name in names {
                let path = folder.isEmpty ? name : "\(folder)/\(name)"
                try compare(.attributes(path, follows: false))
                guard let status = try? plain.status(path, follows: false) else { continue }
                try compareClass(of: path, status)
                switch status.format {
                case S_IFDIR: folders.append(path)
                case S_IFLNK: try compare(.readlink(path))
                case S_IFREG:
                    try compare(.readWhole(path))
                    try compareAttributes(of: path)
                    try compareIdentity(of: path, status, &identities)
                default: break
                }
            }
        }
    }

    private func compareAttributes(of path: String) throws {
        try compare(.userAttributeNames(path))
        guard case .names(let names) = plain.perform(.userAttributeNames(path)) else { return }
        for name in names { try compare(.userAttribute(path, name)) }
    }

    private func compareClass(of path: String, _ status: stat) throws {
        guard [S_IFREG, S_IFDIR].contains(status.format) else { return }
        let found = try volume.volume.attributes(of: path)
        guard found.damage == nil else {
            throw fault(.attributes(path, follows: false), "it is damaged")
        }
        if setup.rules == .safer { return classes.set(found.protectionClass, of: status) }
        guard found.protectionClass == classes.protectionClass(of: status) else {
            throw fault(
                .setClass(path, classes.protectionClass(of: status)),
                "its class is \(String(describing: found.protectionClass))")
        }
    }

    /// Two names are one file on both sides, or on neither.
    private func compareIdentity(
        of path: String, _ status: stat, _ identities: inout [UInt64: UInt64]
    ) throws {
        let found = try volume.volume.attributes(of: path).identity
        let known = identities[status.inode]
        let isOther = known == nil && identities.values.contains(found)
        guard known == nil || known == found, !isOther else {
            throw fault(.link(path, path), "it is one file here and two there")
        }
        identities[status.inode] = found
    }
}
