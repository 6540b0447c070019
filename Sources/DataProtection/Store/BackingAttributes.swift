/// The `user.*` attributes of one file or folder. See: 'man 7 xattr'.
///
/// A name is always whole, with `user.` before it. Any other is `EOPNOTSUPP`, but has no value; one
/// of no or of more than 255 bytes is `ERANGE`, as Linux says it; one with a zero byte or with
/// nothing behind `user.` is `EINVAL`.
package protocol BackingAttributes: Sendable {
    /// The names of all that are set, in no particular order; empty when the host has none. Bytes
    /// that are not UTF-8 are replaced, so such a name matches nothing of ours.
    func names() throws(HostError) -> [String]

    /// The value; `nil` when it is not set or the host has none.
    func value(of name: String) throws(HostError) -> [UInt8]?

    /// Sets a value.
    ///
    /// - Throws: `EOPNOTSUPP` when the host has none; `EEXIST` or `ENODATA` as the rule says;
    ///   `E2BIG` for a value of more than 65,536 bytes; `ENOSPC` for what the host cannot hold.
    func set(
        _ name: String, to value: [UInt8], rule: HostAttributeRule
    ) throws(HostError)

    /// Takes an attribute away.
    ///
    /// - Throws: `ENODATA` when it is not set; `EOPNOTSUPP` when the host has none.
    func remove(_ name: String) throws(HostError)
}

/// How `BackingAttributes.set` treats an attribute that is set, or is not.
package enum HostAttributeRule: Sendable {
    /// It is made or replaced.
    case set
    /// The call fails with `EEXIST` if it is set.
    case create
    /// The call fails with `ENODATA` if it is not.
    case replace
}
