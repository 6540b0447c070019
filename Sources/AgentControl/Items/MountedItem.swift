public import DataProtection
internal import Glibc

/// What any process can ask of files and folders in a mounted volume, by their paths.
///
///     try MountedItem.setProtectionClass(.complete, at: "/home/ada/Vault/letter.txt")
public enum MountedItem {
    /// The class: a file's own, or the one that a folder gives to what is made in it.
    ///
    /// - Parameter path: of this machine; a symbolic link is followed.
    /// - Returns: `nil` for a folder that gives none, and for what is in no mounted volume.
    /// - Throws: `missing`, `damaged`, `host`.
    public static func protectionClass(
        at path: String
    ) throws(ProtectionError) -> ProtectionClass? {
        guard let value = try attribute(MountWords.classAttribute, of: path) else { return nil }
        let word = String(decoding: value, as: UTF8.self)
        return ProtectionClass.allCases.first { $0.name == word }
    }

    /// Sets the class; see `ProtectedVolume.setProtectionClass(_:of:)`.
    ///
    /// - Parameters:
    ///   - protectionClass: the new class.
    ///   - path: of this machine; a symbolic link is followed.
    /// - Throws: `sealed`, `missing`, `damaged`; `notSupported` for what is in no mounted volume.
    ///   The class is as it was then.
    public static func setProtectionClass(
        _ protectionClass: ProtectionClass, at path: String
    ) throws(ProtectionError) {
        // A host's own file system keeps any attribute, and would seem to have set a class.
        guard try attribute(MountWords.sealedAttribute, of: path) != nil else {
            throw ProtectionError.noMountedItem.at(path)
        }
        do throws(HostError) {
            try PathAttributes.set(
                MountWords.classAttribute, to: Array(protectionClass.name.utf8), at: path)
        } catch {
            throw
                (error.code == HostError.notPermitted
                ? ProtectionError.sealedChange(to: protectionClass, .locked)
                : .itemFailure(error.code)).at(path)
        }
    }

    /// Whether a file's key is not there now; `false` for what is in no mounted volume.
    ///
    /// - Parameter path: of this machine; a symbolic link is followed.
    /// - Throws: `missing`, `host`.
    public static func isSealed(at path: String) throws(ProtectionError) -> Bool {
        try attribute(MountWords.sealedAttribute, of: path) == Array("yes".utf8)
    }

    /// Makes a file of a class in a mounted volume, in one step, and opens it.
    ///
    /// The class travels in a reserved name (``CreationName``). Where the class cannot be made in
    /// the present lock state, nothing is left behind; `completeUnlessOpen` can always be made.
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
        let file = ItemCalls.open(
            CreationName.path(making: path, class: protectionClass),
            O_RDWR | O_CREAT | O_EXCL, mode: mode)
        guard file < 0 else { return file }
        throw ProtectionError.notCreated(protectionClass, errorNumber: -file).at(path)
    }

    /// The names in a folder of this machine, in no particular order.
    package static func entries(of path: String) throws(ProtectionError) -> [String] {
        let (names, code) = ItemCalls.names(in: path)
        guard code == 0 else { throw ProtectionError.itemFailure(code).at(path) }
        return names
    }

    private static func attribute(
        _ name: String, of path: String
    ) throws(ProtectionError) -> [UInt8]? {
        do throws(HostError) {
            return try PathAttributes.value(of: name, at: path)
        } catch {
            switch error.code {
            case HostError.noSuchAttribute, HostError.notSupported: return nil
            default: throw ProtectionError.itemFailure(error.code).at(path)
            }
        }
    }
}
