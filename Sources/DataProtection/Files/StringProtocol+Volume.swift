public import FoundationEssentials

extension String {
    /// Reads a text file of a volume.
    ///
    /// - Parameters:
    ///   - url: the file.
    ///   - encoding: what its bytes are text in.
    ///   - files: the volume's files.
    /// - Throws: as `Data(contentsOf:in:)`, and `CocoaError` 261 when the bytes are no text in this
    ///   encoding.
    public init(contentsOf url: URL, encoding: Encoding, in files: ProtectedFileManager) throws {
        let data = try Data(contentsOf: url, in: files)
        guard let text = String(data: data, encoding: encoding) else {
            throw files.cocoaError(
                .noText, .reading, at: .url(url), code: .fileReadInapplicableStringEncoding)
        }
        self = text
    }
}

extension StringProtocol {
    /// Writes a text file of a volume; what was written is durable on return. The rules decide the
    /// class (docs/classes.md); to name one, write `Data`.
    ///
    /// - Parameters:
    ///   - url: the file; its folder exists. A symbolic link is followed.
    ///   - useAuxiliaryFile: whether the file is the old one or the new one, whatever happens.
    ///   - encoding: what becomes of the text; nothing is left out.
    ///   - files: the volume's files.
    /// - Throws: as `Data.write(to:options:in:)`, and `CocoaError` 517 when the encoding has not
    ///   every character: nothing was written then.
    public func write(
        to url: URL, atomically useAuxiliaryFile: Bool, encoding: String.Encoding,
        in files: ProtectedFileManager
    ) throws {
        guard let data = data(using: encoding) else {
            throw files.cocoaError(
                .noEncoding, .writing, at: .url(url), code: .fileWriteInapplicableStringEncoding)
        }
        try data.write(to: url, options: useAuxiliaryFile ? .atomic : [], in: files)
    }
}
