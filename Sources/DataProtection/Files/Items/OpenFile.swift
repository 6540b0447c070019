/// An open file of a volume, whichever process has the volume open. See `ProtectedFile`.
protocol OpenFile: AnyObject, Sendable {
    var protectionClass: ProtectionClass { get }
    var size: Int64 { get }
    func read(
        into bytes: inout MutableSpan<UInt8>, at offset: Int64
    ) throws(ProtectionError) -> Int
    func write(_ bytes: Span<UInt8>, at offset: Int64) throws(ProtectionError)
    func truncate(to size: Int64) throws(ProtectionError)
    func nextData(from offset: Int64) throws(ProtectionError) -> Int64?
    func nextHole(from offset: Int64) throws(ProtectionError) -> Int64?
    func attributes() throws(ProtectionError) -> ItemAttributes
    func setAttributes(_ change: AttributeChange) throws(ProtectionError)
    func setProtectionClass(_ protectionClass: ProtectionClass) throws(ProtectionError)
    /// Gives a file of the same volume the user attributes of this one.
    func copyUserAttributes(to copy: any OpenFile) throws(ProtectionError)
    func synchronize(everything: Bool) throws(ProtectionError)
    /// Begins an operation, for which the handle must be open and opened for it.
    func require(_ wanted: OpenOptions, _ operation: String) throws(ProtectionError)
    func close()
}
