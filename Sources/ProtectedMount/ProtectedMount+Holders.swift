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

    /// Which programs use the mount.
    ///
    /// - Parameter protectionClass: only files of this class; `nil` for everything, with folders
    ///   that programs are in.
    func programs(using protectionClass: ProtectionClass?) -> [Holder] {
        (HostCalls.names(in: "/proc") ?? []).compactMap(Int32.init).sorted()
            .compactMap { process in
                let used = Set(paths(of: process, withFolders: protectionClass == nil))
                let paths = used.filter { path in
                    guard let protectionClass else { return true }
                    return classOfFile(path) == protectionClass
                }
                guard !paths.isEmpty else { return nil }
                return Holder(
                    process: process, program: Self.name(of: process), paths: paths.sorted())
            }
    }

    private static func name(of process: Int32) -> String {
        guard let name = HostCalls.contents(of: "/proc/\(process)/comm") else { return "?" }
        return String(decoding: name.prefix { $0 != UInt8(ascii: "\n") }, as: UTF8.self)
    }

    /// The paths below the mount that a process has open or mapped.
    private func paths(of process: Int32, withFolders: Bool) -> [String] {
        let folder = "/proc/\(process)"
        var links = (HostCalls.names(in: folder + "/fd") ?? []).map { folder + "/fd/" + $0 }
        if withFolders { links += [folder + "/cwd", folder + "/root"] }
        var paths = links.compactMap { HostCalls.target(of: $0) }
        let maps = HostCalls.contents(of: folder + "/maps") ?? []
        for line in maps.split(separator: UInt8(ascii: "\n")) {
            guard let slash = line.firstIndex(of: UInt8(ascii: "/")) else { continue }
            paths.append(String(decoding: line[slash...], as: UTF8.self))
        }
        return paths.filter { $0 == path || $0.hasPrefix(path + "/") }
    }

    private func classOfFile(_ path: String) -> ProtectionClass? {
        let inside = String(path.dropFirst(self.path.count + 1))
        guard let attributes = try? volume.attributes(of: inside), attributes.kind == .file else {
            return nil
        }
        return attributes.protectionClass
    }
}
