public import DataProtection
internal import Glibc

extension ProtectedMount {
    /// Makes a file of a class in a mounted volume, in one step, and opens it.
    ///
    /// Works in any process, on any mounted volume: the class travels in a reserved name
    /// (``CreationName``). Where the class cannot be made in the present lock state, nothing is
    /// left behind; `completeUnlessOpen` can always be made.
    /// - Parameters:
    ///   - path: where; the name must be free.
    ///   - protectionClass: the file's class.
    ///   - mode: its permission bits, of which the umask takes some.
    /// - Returns: a descriptor for reading and writing; the caller closes it. The corresponding C
    ///   function is `open`, with `O_CREAT`, `O_EXCL` and `O_CLOEXEC`.
    /// - Throws: `sealed`, `exists`, `missing`, `forbidden`, `noSpace`; `host` with the error
    ///   number for anything else.
    public static func createFile(
        _ path: String, class protectionClass: ProtectionClass, mode: UInt32 = 0o600
    ) throws(ProtectionError) -> Int32 {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(path[...$0]) } ?? ""
        let name = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
        let reserved = CreationName.name(making: name, class: protectionClass)
        let file = HostCalls.create(folder + reserved, mode: mode)
        guard file < 0 else { return file }
        throw ProtectionError.notCreated(protectionClass, errorNumber: -file).at(path)
    }
}
