public import FoundationEssentials

/// Which half of Foundation's error codes fits a call.
package enum FileAccess: Sendable, CaseIterable {
    case reading, writing
}

/// A file as the caller named it.
enum FilePlace {
    case path(String)
    case url(URL)
}

/// The names of what is in `userInfo`: Foundation's own, which FoundationEssentials does not
/// show.
package enum ErrorInformation {
    /// `NSMultipleUnderlyingErrorsKey`: a list with the `ProtectionError`.
    package static let others = "NSMultipleUnderlyingErrorsKey"
    /// `NSUnderlyingErrorKey`.
    package static let underlying = "NSUnderlyingError"
    /// `NSFilePathErrorKey`.
    package static let path = "NSFilePath"
    /// `NSURLErrorKey`.
    package static let url = "NSURL"
    /// `NSLocalizedDescriptionKey`.
    package static let description = "NSLocalizedDescription"
    /// `NSLocalizedFailureReasonErrorKey`.
    package static let reason = "NSLocalizedFailureReason"
    /// `NSLocalizedRecoverySuggestionErrorKey`.
    package static let remedy = "NSLocalizedRecoverySuggestion"
}

extension CocoaError {
    /// The error that Foundation would throw, with what only a volume knows in it.
    ///
    /// - Parameters:
    ///   - error: what happened.
    ///   - access: whether the call wanted to read or to write.
    ///   - path: the file's path, absolute.
    ///   - url: the file as the caller named it; `nil` if by a path.
    ///   - code: Foundation's number where the call has one of its own; `nil` for what happened.
    package init(
        _ error: ProtectionError, _ access: FileAccess, path: String, url: URL? = nil,
        code: CocoaError.Code? = nil
    ) {
        var information: [String: Any] = [
            ErrorInformation.others: [error] as [any Error],
            ErrorInformation.underlying: POSIXError(
                Self.posixCode(error.errorNumber) ?? Self.posixCode(5)!),  // EIO always exists
            ErrorInformation.path: path,
            ErrorInformation.description: error.description,
            ErrorInformation.reason: error.message,
        ]
        if !error.remedy.isEmpty { information[ErrorInformation.remedy] = error.remedy }
        if let url { information[ErrorInformation.url] = url }
        self.init(code ?? error.cocoaCode(access), userInfo: information)
    }

    /// The code for an error number. It is a type of the C library's module, which is not to be
    /// imported here; as something with a raw value it can be made without.
    private static func posixCode<Code: RawRepresentable>(_ number: Int32) -> Code?
    where Code.RawValue == Int32 {
        Code(rawValue: number)
    }
}

extension ProtectionError {
    /// Foundation's number for what happened.
    ///
    /// *Locked* and *forbidden* share 257 and 513, as on Apple's systems; the underlying number
    /// (`EPERM` and `EACCES`) and `isLocked` tell them apart.
    package func cocoaCode(_ access: FileAccess) -> CocoaError.Code {
        let isReading = access == .reading
        let unknown: CocoaError.Code = isReading ? .fileReadUnknown : .fileWriteUnknown
        switch code {
        case .sealed: return isReading ? .fileReadNoPermission : .fileWriteNoPermission
        case .forbidden:
            // A host that is read-only forbids everybody.
            if !isReading, errorNumber == HostError.readOnly { return .fileWriteVolumeReadOnly }
            return isReading ? .fileReadNoPermission : .fileWriteNoPermission
        case .missing: return isReading ? .fileReadNoSuchFile : .fileNoSuchFile
        case .exists: return .fileWriteFileExists
        case .noSpace: return .fileWriteOutOfSpace
        case .damaged: return .fileReadCorruptFile
        case .invalidName: return isReading ? .fileReadInvalidFileName : .fileWriteInvalidFileName
        case .busy: return .fileLocking
        case .unsuitableHost, .notSupported: return .featureUnsupported
        case .wrongPasscode, .throttled, .notAVolume, .newerFormat, .deviceKey, .notEmpty,
            .isFolder, .notFolder, .symbolicLink, .noAttribute, .invalidArgument, .wrongAccess,
            .keyMemory, .closed, .host:
            return unknown
        }
    }
}

extension ProtectionError: LocalizedError {
    /// What happened, where, and what to do.
    public var errorDescription: String? { description }
    /// What happened.
    public var failureReason: String? { message }
    /// What to do; `nil` when nothing can be done.
    public var recoverySuggestion: String? { remedy.isEmpty ? nil : remedy }
}

/// An error of another library that a volume's refusal has caused.
package protocol ProtectionErrorCarrier: Error {
    /// What the volume said; `nil` when it has nothing to do with it.
    var cause: ProtectionError? { get }
}

extension Error {
    /// What a volume said, also from inside a `CocoaError`; `nil` for an error of something else.
    public var protectionError: ProtectionError? {
        if let error = self as? ProtectionError { return error }
        if let error = self as? any ProtectionErrorCarrier { return error.cause }
        let others = (self as? CocoaError)?.underlyingErrors ?? []
        return others.lazy.compactMap { $0 as? ProtectionError }.first
    }

    /// Whether the file is there and its key is not: wait for the unlock. Never true for a file
    /// that is forbidden, missing or damaged.
    public var isLocked: Bool { protectionError?.code == .sealed }
}
