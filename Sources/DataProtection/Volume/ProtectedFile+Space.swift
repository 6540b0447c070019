/// Attributes, holes and reserved space of an open file.
extension ProtectedFile {
    /// The attributes as they are now, also after the last name is gone. Known in every lock state.
    ///
    /// - Throws: `closed`, `host`.
    public func attributes() throws(ProtectionError) -> ItemAttributes {
        try require([])
        return try inode.attributes()
    }

    /// Changes attributes. Allowed in every lock state.
    ///
    /// - Throws: `forbidden`, `invalidArgument`, `closed`, `host`.
    public func setAttributes(_ change: AttributeChange) throws(ProtectionError) {
        try require([])
        let metadata = try inode.core.keyring.metadata()
        try inode.setAttributes(try change.checked(), metadata)
    }

    /// Sets space aside on the host, so that writing there cannot fail for want of it.
    ///
    /// The corresponding C function is `fallocate`.
    /// - Parameters:
    ///   - range: which bytes of the file; not empty.
    ///   - keepsSize: whether a range behind the end leaves the size as it is; else the file is
    ///     extended with zeros.
    /// - Throws: `noSpace`, and nothing has changed; `notSupported` when the host cannot; `sealed`,
    ///   `wrongAccess`, `closed`, `invalidArgument`.
    public func allocate(
        _ range: Range<Int64>, keepsSize: Bool = false
    ) throws(ProtectionError) {
        try require(.write)
        try inode.allocate(range, keepsSize: keepsSize)
    }

    /// Makes a range read as zeros and gives its space back to the host; the size stays.
    ///
    /// Whole pages of 4052 bytes become holes, parts of pages are written.
    /// - Parameter range: which bytes of the file; what is behind the end is left out.
    /// - Throws: `sealed`, `noSpace`, `damaged`, `wrongAccess`, `closed`, `invalidArgument`.
    public func punchHole(_ range: Range<Int64>) throws(ProtectionError) {
        try require(.write)
        try inode.punchHole(range)
    }

    /// Makes a range read as zeros.
    ///
    /// - Parameters:
    ///   - range: which bytes of the file; not empty.
    ///   - keepsSize: whether a range behind the end leaves the size as it is.
    /// - Throws: as `punchHole(_:)`.
    public func zeroRange(
        _ range: Range<Int64>, keepsSize: Bool = false
    ) throws(ProtectionError) {
        try require(.write)
        try inode.zeroRange(range, keepsSize: keepsSize)
    }

    /// Where data begins from an offset on. The corresponding C constant is `SEEK_DATA`.
    ///
    /// - Returns: `offset` itself when there is data; `nil` at the end of the file or behind it.
    /// - Throws: `sealed`, `closed`, `invalidArgument` for a negative offset.
    public func nextData(from offset: Int64) throws(ProtectionError) -> Int64? {
        try require([])
        return try inode.nextData(from: offset)
    }

    /// Where a hole begins from an offset on; the end counts as one. The corresponding C constant
    /// is `SEEK_HOLE`.
    ///
    /// - Returns: `nil` at the end of the file or behind it.
    /// - Throws: as `nextData(from:)`.
    public func nextHole(from offset: Int64) throws(ProtectionError) -> Int64? {
        try require([])
        return try inode.nextHole(from: offset)
    }
}
