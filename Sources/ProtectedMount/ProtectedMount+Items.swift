public import DataProtection
internal import Glibc

/// What any process can ask of files and folders in a mounted volume, by their paths.
extension ProtectedMount {
    /// The class: a file's own, or the one that a folder gives to what is made in it.
    ///
    /// - Parameter path: of this machine; a symbolic link is followed.
    /// - Returns: `nil` for a folder that gives none, and for what is in no mounted volume.
    /// - Throws: `missing`, `damaged`, `host`.
    public static func protectionClass(
        at path: String
    ) throws(ProtectionError) -> ProtectionClass? {
        do throws(ProtectionError) {
            guard let value = try attribute(MountServer.classAttribute, of: path) else {
                return nil
            }
            let word = String(decoding: value, as: UTF8.self)
            return ProtectionClass.allCases.first { $0.name == word }
        } catch {
            throw error.at(path)
        }
    }

    /// Sets the class; see `ProtectedVolume.setProtectionClass(_:of:)`.
    ///
    /// - Throws: `sealed`, `missing`, `damaged`; `notSupported` for what is in no mounted volume.
    public static func setProtectionClass(
        _ protectionClass: ProtectionClass, at path: String
    ) throws(ProtectionError) {
        let code = HostCalls.setAttribute(
            MountServer.classAttribute, to: Array(protectionClass.name.utf8), of: path)
        switch code {
        case 0: return
        case EPERM: throw ProtectionError.sealedChange(to: protectionClass, .locked).at(path)
        case EOPNOTSUPP: throw ProtectionError.noMountedItem.at(path)
        default: throw ProtectionError.itemFailure(code).at(path)
        }
    }

    /// Whether a file's key is not there now; `false` for what is in no mounted volume.
    ///
    /// - Throws: `missing`, `host`.
    public static func isSealed(at path: String) throws(ProtectionError) -> Bool {
        do throws(ProtectionError) {
            return try attribute(MountServer.sealedAttribute, of: path) == Array("yes".utf8)
        } catch {
            throw error.at(path)
        }
    }

    /// The names in a folder of this machine, in no particular order.
    package static func entries(of path: String) throws(ProtectionError) -> [String] {
        guard let names = HostCalls.names(in: path) else {
            throw ProtectionError.itemFailure(errno).at(path)
        }
        return names
    }

    private static func attribute(
        _ name: String, of path: String
    ) throws(ProtectionError) -> [UInt8]? {
        let (value, code) = HostCalls.attribute(name, of: path)
        switch code {
        case 0: return value
        case ENODATA, EOPNOTSUPP: return nil
        default: throw .itemFailure(code)
        }
    }
}
