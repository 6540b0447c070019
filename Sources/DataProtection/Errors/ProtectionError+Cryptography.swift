internal import Cryptography

/// Runs a cryptographic step and gives its failure a meaning.
///
/// - Parameters:
///   - failure: what it means when something does not authenticate; that depends on what was
///     opened.
///   - body: the step.
func translating<Result: ~Copyable>(
    _ failure: @autoclosure () -> ProtectionError,
    _ body: () throws(CryptographyError) -> Result
) throws(ProtectionError) -> Result {
    do {
        return try body()
    } catch .authenticationFailed, .weakSharedSecret {
        throw failure()
    } catch {
        throw ProtectionError(error)
    }
}

/// Runs a cryptographic step that can only fail for want of memory.
func translating<Result: ~Copyable>(
    _ body: () throws(CryptographyError) -> Result
) throws(ProtectionError) -> Result {
    do { return try body() } catch { throw ProtectionError(error) }
}

/// Runs a host call and gives its error a sentence.
func onHost<Result: ~Copyable>(
    _ body: () throws(HostError) -> Result
) throws(ProtectionError) -> Result {
    do { return try body() } catch { throw ProtectionError(error) }
}

/// Reads something of the format and says what is damaged.
func reading<Result>(
    _ body: () throws(FormatError) -> Result
) throws(ProtectionError) -> Result {
    do { return try body() } catch { throw ProtectionError(error) }
}

extension ProtectionError {
    /// The sentence for bytes that do not follow the format.
    package init(_ error: FormatError) {
        switch error {
        case .damaged(let what): self = .damaged(what)
        case .newerVersion(let version): self = .newerFormat(version)
        }
    }
}
