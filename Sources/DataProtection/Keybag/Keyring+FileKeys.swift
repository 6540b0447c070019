package import Cryptography
internal import Synchronization

extension Keyring {
    /// Unwraps a file's key. The class key never leaves the keyring's lock.
    ///
    /// - Throws: `sealed` when the class key is not there; `damaged` when the header is not
    ///   authentic.
    package func unwrap(_ header: FileHeader) throws(ProtectionError) -> SecretKey {
        guard header.volumeIdentifier == volumeIdentifier,
            let algorithm = AEADAlgorithm(rawValue: header.cipher)
        else { throw .damaged("it is a file of another volume") }
        let fileKey: SecretKey?
        do {
            fileKey = try keys.withLock { keys throws(CryptographyError) -> sending SecretKey? in
                try keys.withOpeningKey(for: header, publicKey: publicKey) {
                    key throws(CryptographyError) in
                    try KeyWrap.unwrap(
                        header.wrappedKey, under: key, algorithm: algorithm,
                        authenticating: header.wrapContext)
                }
            }
        } catch .authenticationFailed, .weakSharedSecret {
            throw .damaged("the header is not the one that was written")
        } catch {
            throw ProtectionError(error)
        }
        switch consume fileKey {
        case .some(let key): return key
        case .none: throw .sealed(header.protectionClass, state)
        }
    }

    /// Wraps a file's key for the class that its header names, and fills the header in.
    ///
    /// - Throws: `sealed` when a file of that class cannot be made now.
    package func wrap(
        _ fileKey: borrowing SecretKey, into header: inout FileHeader
    ) throws(ProtectionError) {
        do {
            if header.protectionClass == .completeUnlessOpen {
                try wrapForUnlock(fileKey, into: &header)
                return
            }
            var filled = header
            filled.ephemeralPublicKey = [UInt8](repeating: 0, count: 32)
            let context = filled.wrapContext
            let wrapped = try keys.withLock { keys throws(CryptographyError) -> sending [UInt8]? in
                try keys.withOpeningKey(for: filled, publicKey: publicKey) {
                    key throws(CryptographyError) in
                    try KeyWrap.wrap(
                        fileKey, under: key, algorithm: algorithm, authenticating: context)
                }
            }
            guard let wrapped else {
                throw ProtectionError.sealed(header.protectionClass, state, creating: true)
            }
            filled.wrappedKey = wrapped
            header = filled
        } catch let error as CryptographyError {
            throw ProtectionError(error)
        } catch let error as ProtectionError {
            throw error
        } catch {
            throw .damaged("a cryptographic check failed")
        }
    }

    /// Class B: the writer's private half exists only inside this call.
    private func wrapForUnlock(
        _ fileKey: borrowing SecretKey, into header: inout FileHeader
    ) throws(CryptographyError) {
        let ephemeral = try SecretKey.random()
        let publicKey = publicKey
        header.ephemeralPublicKey = try KeyAgreement.publicKey(of: ephemeral)
        let shared = try KeyAgreement.sharedSecret(
            privateKey: ephemeral, publicKey: publicKey.span)
        let info = FileKeyAgreement.info(header, publicKey: publicKey)
        let context = header.wrapContext
        header.wrappedKey = try keys.withLock {
            keys throws(CryptographyError) -> sending [UInt8] in
            let key = try HKDF.deriveKey(from: shared, saltKey: keys.agreementSalt, info: info)
            return try KeyWrap.wrap(
                fileKey, under: key, algorithm: algorithm, authenticating: context)
        }
    }
}

/// What binds a class B key agreement to its file (docs/format.md 2).
enum FileKeyAgreement {
    static func info(_ header: FileHeader, publicKey: [UInt8]) -> [UInt8] {
        FormatLabel.bytes("class completeUnlessOpen file") + header.volumeIdentifier
            + header.fileIdentifier + header.ephemeralPublicKey + publicKey
    }
}

extension Keyring.Keys {
    /// Lends the key under which a file's key is wrapped.
    ///
    /// - Returns: `nil` when this state does not hold it.
    borrowing func withOpeningKey<Result: ~Copyable>(
        for header: FileHeader, publicKey: [UInt8],
        _ body: (borrowing SecretKey) throws(CryptographyError) -> Result
    ) throws(CryptographyError) -> Result? {
        switch header.protectionClass {
        case .none:
            return try body(classNone)
        case .completeUntilFirstUserAuthentication:
            switch untilFirstUnlock {
            case .some(let key): return try body(key)
            case .none: return nil
            }
        case .complete:
            switch complete {
            case .some(let key): return try body(key)
            case .none: return nil
            }
        case .completeUnlessOpen:
            switch agreement {
            case .some(let key):
                let shared = try KeyAgreement.sharedSecret(
                    privateKey: key, publicKey: header.ephemeralPublicKey.span)
                let wrapping = try HKDF.deriveKey(
                    from: shared, saltKey: agreementSalt,
                    info: FileKeyAgreement.info(header, publicKey: publicKey))
                return try body(wrapping)
            case .none: return nil
            }
        }
    }
}
