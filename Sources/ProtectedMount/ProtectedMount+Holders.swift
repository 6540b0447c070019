internal import DataProtection

extension ProtectedMount {
    /// A program that uses files which a lock seals.
    public struct Holder: Sendable, Hashable {
        /// Its process number.
        public var process: Int32
        /// Its name, as the kernel has it.
        public var program: String
        /// The files, as paths of this machine.
        public var paths: [String]

        /// Describes a program.
        public init(process: Int32, program: String, paths: [String]) {
            self.process = process
            self.program = program
            self.paths = paths
        }
    }

    /// A file that a process has open or mapped, or a folder that it is in.
    private struct Use: Hashable {
        /// A path of this machine; the kernel adds ` (deleted)` where there is none any more.
        var path: [UInt8]
        var inode: UInt64
    }

    /// Which programs use the mount.
    ///
    /// - Parameter protectionClass: only files of this class; `nil` for everything, with folders
    ///   that programs are in.
    func programs(using protectionClass: ProtectionClass?) -> [Holder] {
        // By number, as a name may be gone, and need not be text.
        let inodes = protectionClass.map { session.server.openInodes(of: $0) }
        return (HostCalls.names(in: "/proc") ?? []).compactMap(Int32.init).sorted()
            .compactMap { process in
                let used = uses(of: process, withFolders: protectionClass == nil)
                    .filter { inodes?.contains($0.inode) ?? true }
                guard !used.isEmpty else { return nil }
                let paths = Set(used.map { String(decoding: $0.path, as: UTF8.self) })
                return Holder(
                    process: process, program: Self.name(of: process), paths: paths.sorted())
            }
    }

    private static func name(of process: Int32) -> String {
        guard let name = HostCalls.contents(of: "/proc/\(process)/comm") else { return "?" }
        return String(decoding: name.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// What a process has open or mapped below the mount.
    private func uses(of process: Int32, withFolders: Bool) -> Set<Use> {
        let folder = "/proc/\(process)"
        var links = (HostCalls.names(in: folder + "/fd") ?? []).map { folder + "/fd/" + $0 }
        if withFolders { links += [folder + "/cwd", folder + "/root"] }
        var uses: Set<Use> = []
        for link in links {
            guard let path = HostCalls.target(of: link), isInside(path) else { continue }
            uses.insert(Use(path: path, inode: HostCalls.inode(behind: link) ?? 0))
        }
        let maps = HostCalls.contents(of: folder + "/maps") ?? []
        for line in maps.split(separator: UInt8(ascii: "\n")) {
            // Addresses, rights, offset, device, inode, path.
            let words = line.split(separator: UInt8(ascii: " "), maxSplits: 5)
            guard words.count == 6, let slash = words[5].firstIndex(of: UInt8(ascii: "/"))
            else { continue }
            let path = Array(words[5][slash...])
            guard isInside(path) else { continue }
            let inode = UInt64(String(decoding: words[4], as: UTF8.self)) ?? 0
            uses.insert(Use(path: path, inode: inode))
        }
        return uses
    }

    private func isInside(_ path: [UInt8]) -> Bool {
        path == Array(self.path.utf8) || path.starts(with: Array((self.path + "/").utf8))
    }
}

extension MountServer {
    /// The host inodes, which are the mount's, of the files of a class that are open or mapped.
    fileprivate func openInodes(of protectionClass: ProtectionClass) -> Set<UInt64> {
        let open = nodes.all.filter {
            $0.kind == .file && nodes.openClass(of: $0) == protectionClass
        }
        return Set(open.map { nodes.inodeNumber(of: $0, isAbove: false) })
    }
}
