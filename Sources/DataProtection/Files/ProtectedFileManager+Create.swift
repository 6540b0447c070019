public import FoundationEssentials

extension ProtectedFileManager {
    /// Makes a file with its class in one step, and keeps it open: for a download that goes on in
    /// the background.
    ///
    /// A file of class `completeUnlessOpen` can be made in every lock state, and is read and
    /// written through this handle whatever happens to the lock; to open it again needs an unlock.
    ///
    ///     let download = try files.createFile(at: url, protection: .completeUnlessOpen)
    ///     try download.write(contentsOf: chunk)
    ///
    /// - Parameters:
    ///   - url: the file; its folder exists.
    ///   - protection: its class; `nil` leaves it to the rules (docs/classes.md).
    /// - Returns: a handle for reading and writing, at the beginning.
    /// - Throws: `CocoaError` 516 when the name is taken, 513 over `EPERM` when the class cannot be
    ///   made in this lock state: nothing was made then.
    public func createFile(
        at url: URL, protection: FileProtectionType? = nil
    ) throws -> ProtectedFileHandle {
        let file = try perform(.writing, at: .url(url)) { path throws(ProtectionError) in
            let wanted: ProtectionClass? =
                if let protection { try ProtectionClass(required: protection) } else { nil }
            return try makeFile(path, wanted)
        }
        return ProtectedFileHandle(file, url: url, in: self)
    }

    /// Makes a file, or replaces one that is there as a whole. Class, mode and times are the file's
    /// from its first moment on; everything is durable on return.
    ///
    /// Foundation answers `false` whatever went wrong; this throws.
    ///
    /// - Parameters:
    ///   - path: the file; its folder exists.
    ///   - data: its content; `nil` for none.
    ///   - attributes: as `setAttributes(_:ofItemAtPath:)`.
    /// - Throws: `CocoaError` 513 over `EPERM` when the class cannot be made in this lock state; a
    ///   file that was there is untouched then.
    public func createFile(
        atPath path: String, contents data: Data?, attributes: [FileAttributeKey: Any]? = nil
    ) throws {
        try perform(.writing, at: .path(path)) { path throws(ProtectionError) in
            let wanted = try RequestedAttributes(attributes)
            var rest = wanted.change
            rest.mode = nil
            let failure = try items.replace(
                path, class: wanted.protectionClass, mode: wanted.change.mode, rule: .replace
            ) { file throws(ProtectionError) in
                if let data { try file.write(data.span, at: 0) }
                if rest != AttributeChange() { try file.setAttributes(rest) }
            }
            if let failure { throw failure.at(path) }
        }
    }

    /// Makes a file whose name is durable.
    func makeFile(
        _ path: String, _ protectionClass: ProtectionClass?
    ) throws(ProtectionError) -> any OpenFile {
        let file = try items.open(
            path, [.readWrite, .create, .exclusive], class: protectionClass)
        try items.synchronizeFolder(path.parentPath)
        return file
    }
}
