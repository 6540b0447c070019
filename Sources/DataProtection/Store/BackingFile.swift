/// One regular file of a backing store, held open.
package protocol BackingFile: AnyObject, Sendable {
    /// The file's attributes, also after its last name is gone.
    func attributes() throws(HostError) -> HostAttributes

    /// Reads until `bytes` is full or the file ends; holes read as zeros.
    ///
    /// - Parameter offset: where to begin, in bytes.
    /// - Returns: how many bytes were read.
    func read(into bytes: inout MutableSpan<UInt8>, at offset: Int64) throws(HostError) -> Int

    /// Where the next data begins, as far as the host tells: a hole may be passed over.
    ///
    /// - Parameter offset: where to look from, in bytes.
    /// - Returns: `offset` itself if there may be data; `nil` if there is none any more.
    func nextData(from offset: Int64) throws(HostError) -> Int64?

    /// Writes all of `bytes`, growing the file where needed.
    ///
    /// - Throws: `ENOSPC` when the disk is full; a first part of `bytes` may be written then.
    func write(_ bytes: Span<UInt8>, at offset: Int64) throws(HostError)

    /// Where the next hole begins, as far as the host tells; the file's end counts as one.
    ///
    /// - Parameter offset: where to look from, in bytes.
    /// - Returns: `offset` itself if there is a hole; `nil` at or behind the end. A host that
    ///   cannot tell has the file's end as its only hole.
    func nextHole(from offset: Int64) throws(HostError) -> Int64?

    /// Makes a hole, which reads as zeros, and gives its space back; the size stays. The
    /// corresponding C function is `fallocate` with `FALLOC_FL_PUNCH_HOLE` and
    /// `FALLOC_FL_KEEP_SIZE`.
    ///
    /// - Parameter range: in bytes; both ends are multiples of 4096, else `EINVAL`. An empty one
    ///   changes nothing.
    /// - Throws: `EBADF` for a file opened for reading; `EOPNOTSUPP` when the host cannot.
    func punchHole(_ range: Range<Int64>) throws(HostError)

    /// Sets space aside, also behind the end; size and content stay. A write into it does not fail
    /// for space until a truncate or a hole gives the space back. The corresponding C function is
    /// `fallocate` with `FALLOC_FL_KEEP_SIZE`.
    ///
    /// - Parameter range: in bytes. An empty one changes nothing.
    /// - Throws: `ENOSPC`, when some of the space may be taken all the same; `EFBIG`; `EBADF` for a
    ///   file opened for reading; `EOPNOTSUPP` when the host cannot.
    func allocate(_ range: Range<Int64>) throws(HostError)

    /// Changes the file's attributes, also after its last name is gone; in the order of
    /// `BackingFolder.setAttributes`.
    ///
    /// - Throws: `EPERM`; `EINVAL` for nanoseconds out of range, before anything is changed.
    func setAttributes(_ change: HostAttributeChange) throws(HostError)

    /// The file's `user.*` attributes.
    var userAttributes: any BackingAttributes { get }

    /// Cuts or extends the file. The corresponding C function is `ftruncate`.
    func truncate(to byteCount: Int64) throws(HostError)

    /// Makes the file's content durable, and with `everything` its other attributes too.
    func sync(everything: Bool) throws(HostError)
}
