import CLinux
import DataProtection
import Glibc

// User attributes. See: 'man 7 xattr'.

extension PlainFolder {
    func performOnAttributes(_ operation: ModelOperation) throws(Failure) -> ModelResult {
        switch operation {
        case .setUserAttribute(let path, let name, let value, let rule):
            let flags: CInt =
                switch rule {
                case .set: 0
                case .create: CInt(CLINUX_XATTR_CREATE)
                case .replace: CInt(CLINUX_XATTR_REPLACE)
                }
            let bytes = value.bytes
            try check(setxattr(host(path), "user." + name, bytes, bytes.count, flags))
        case .userAttribute(let path, let name):
            try requireAttributes(path)
            do throws(Failure) {
                return .bytes(try value(of: "user." + name, path))
            } catch {
                guard error.number == ENODATA else { throw error }
                return .bytes(nil)
            }
        case .removeUserAttribute(let path, let name):
            try check(removexattr(host(path), "user." + name))
        case .userAttributeNames(let path):
            try requireAttributes(path)
            return .names(try attributeNames(path).map { String($0.dropFirst(5)) })
        default: return .nothing
        }
        return .done
    }

    /// The kernel finds no attributes where there can be none; the library says so.
    private func requireAttributes(_ path: String) throws(Failure) {
        let format = try status(path, follows: true).format
        guard [S_IFREG, S_IFDIR].contains(format) else { throw Failure(number: EPERM) }
    }

    private func value(of name: String, _ path: String) throws(Failure) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = try check(getxattr(host(path), name, &bytes, bytes.count))
        return Array(bytes[..<count])
    }

    private func attributeNames(_ path: String) throws(Failure) -> [String] {
        var bytes = [UInt8](repeating: 0, count: 4096)
        let count = bytes.withUnsafeMutableBytes {
            listxattr(host(path), $0.baseAddress!.assumingMemoryBound(to: CChar.self), $0.count)
        }
        try check(count)
        return bytes[..<count].split(separator: 0).map { String(decoding: $0, as: UTF8.self) }
            .filter { $0.hasPrefix("user.") }.sorted()
    }

    /// What an atomic write keeps of the file that it replaces, whatever its mode is.
    func copyAttributes(from path: String, to descriptor: CInt) {
        guard let found = try? status(path, follows: false) else { return }
        chmod(host(path), found.st_mode & 0o7777 | 0o400)
        defer { chmod(host(path), found.st_mode & 0o7777) }
        for name in (try? attributeNames(path)) ?? [] {
            guard let value = try? value(of: name, path) else { continue }
            fsetxattr(descriptor, name, value, value.count, 0)
        }
    }
}
