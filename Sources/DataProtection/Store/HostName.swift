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
}
