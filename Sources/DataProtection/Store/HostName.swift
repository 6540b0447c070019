/// What both stores demand of a host name before they look at it.
enum HostName {
    /// The longest host name, in bytes of UTF-8. The corresponding C constant is `NAME_MAX`.
    static let byteLimit = 255

    /// Refuses a name that could reach outside its folder, or that the host would cut short.
    ///
    /// - Throws: `EINVAL` for an empty name, `.`, `..`, and names with a slash or a zero byte;
    ///   `ENAMETOOLONG` for more than 255 bytes.
    static func check(_ name: String, call: String) throws(HostError) {
        let bytes = name.utf8
        guard !bytes.isEmpty, name != ".", name != "..", !bytes.contains(0),
            !bytes.contains(UInt8(ascii: "/"))
        else {
            throw HostError(code: HostError.invalidArgument, call: call)
        }
        guard bytes.count <= byteLimit else {
            throw HostError(code: HostError.nameTooLong, call: call)
        }
    }

    /// The longest target of a symbolic link, in bytes. C counts the zero at its end: `PATH_MAX`.
    static let targetByteLimit = 4095

    /// Refuses a target of a symbolic link that the host would refuse, or cut short.
    ///
    /// - Throws: `ENOENT` for an empty target; `EINVAL` for one with a zero byte; `ENAMETOOLONG`
    ///   for more than 4095 bytes.
    static func check(target: String, call: String) throws(HostError) {
        let bytes = target.utf8
        if bytes.isEmpty { throw HostError(code: HostError.noSuchEntry, call: call) }
        if bytes.contains(0) { throw HostError(code: HostError.invalidArgument, call: call) }
        guard bytes.count <= targetByteLimit else {
            throw HostError(code: HostError.nameTooLong, call: call)
        }
    }

    /// What the names of attributes begin with, in bytes; the host keeps others for itself.
    static let attributePrefix = Array("user.".utf8)
    /// The longest value of an attribute, in bytes. The corresponding C constant is
    /// `XATTR_SIZE_MAX`.
    static let attributeByteLimit = 65536

    /// Refuses an attribute that the host would refuse, or take for another. The order is Linux's.
    ///
    /// - Throws: `EINVAL` for a name with a zero byte, or with nothing behind `user.`; `ERANGE` for
    ///   a name of no or of more than 255 bytes; `E2BIG` for a value of more than 65,536 bytes;
    ///   `EOPNOTSUPP` for a name without `user.` before it.
    static func check(
        attribute name: String, value: [UInt8] = [], call: String
    ) throws(HostError) {
        let bytes = name.utf8
        if bytes.contains(0) { throw HostError(code: HostError.invalidArgument, call: call) }
        guard (1...byteLimit).contains(bytes.count) else {
            throw HostError(code: HostError.outOfRange, call: call)
        }
        guard value.count <= attributeByteLimit else {
            throw HostError(code: HostError.tooBig, call: call)
        }
        guard bytes.starts(with: attributePrefix) else {
            throw HostError(code: HostError.notSupported, call: call)
        }
        guard bytes.count > attributePrefix.count else {
            throw HostError(code: HostError.invalidArgument, call: call)
        }
    }
}
