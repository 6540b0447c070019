/// What a file holds, as far as it matters for its class.
public enum PolicyContent: String, Sendable, Hashable, CaseIterable {
    /// Health data, prescriptions, check-ups.
    case healthRecord
    /// Accounts, statements, payments.
    case financialRecord
    /// A writer's notes, a diary, private photos, a sensitive document.
    case privateDocument
    /// What other apps share with this one, until it is handled.
    case shareInbox
    /// What arrives or is captured while the device may be locked.
    case backgroundCapture
    /// A large download, a video that plays, a document that is edited: used while open.
    case largeDownload
    /// A database that background work touches.
    case database
    /// Images that were downloaded, to be shown.
    case downloadedImage
    /// Preferences and everything else.
    case appData
    /// Content that anybody can get, and that is cheap to make again.
    case publicCache
    /// A copy for a moment: to be shown, converted or sent.
    case temporaryFile
    /// A password, a token, a key.
    case credential
    /// A sensitive value of a few kilobytes, or several that are asked for by a key.
    case smallSecret
}

/// What to do with a kind of data, and what that means.
public struct PolicyAdvice: Sendable, Hashable {
    /// Where it belongs.
    public enum Answer: Sendable, Hashable {
        /// In a file of a class.
        case file(ProtectionClass)
        /// In the store for small secrets.
        case secret(SecretAccessibility)
    }

    /// Where it belongs.
    public let answer: Answer
    /// Why, a sentence.
    public let reason: String

    /// Advises on a kind of data.
    ///
    /// - Parameters:
    ///   - content: what it is.
    ///   - need: when the app must be able to use it; `nil` takes what is usual for `content`. A
    ///     need that no strong class allows gives a weaker one, and `reason` says what that costs.
    ///   - byteCount: how large one value is; a credential that is too large for a secret becomes
    ///     a file.
    public init(for content: PolicyContent, need: PolicyNeed? = nil, byteCount: Int? = nil) {
        let isSmall = (byteCount ?? 0) <= SecretStore.valueByteLimit
        let need = need ?? content.usualNeed
        if content.isSecret, isSmall {
            answer = .secret(need == .whileUnlocked ? .whenUnlocked : .afterFirstUnlock)
            reason =
                "a small secret, sealed on its own and asked for by a key; a file would be larger"
                + " than what it protects"
            return
        }
        var protectionClass = need.protectionClass
        if content.isCheapCopy, protectionClass == ProtectionClass.none {
            protectionClass = .completeUntilFirstUserAuthentication
            reason =
                "the folders for caches and temporary files are where plaintext leaks: the default"
                + " costs nothing here, and what is needed before the first unlock asks for a"
                + " waiver"
        } else {
            reason = need == content.usualNeed ? content.reason : Self.reason(need, content)
        }
        answer = .file(protectionClass)
    }

    private static func reason(_ need: PolicyNeed, _ content: PolicyContent) -> String {
        guard content.usualNeed.protectionClass.isStricter(than: need.protectionClass) else {
            return "nothing needs it at other times, so the stronger class costs nothing"
        }
        return "no class is closed while locked and open in the background: ask whether the access"
            + " is needed, whether the data allows it, and against what it was weighed"
    }
}

extension PolicyContent {
    /// When such data is usually needed.
    public var usualNeed: PolicyNeed {
        switch self {
        case .healthRecord, .financialRecord, .privateDocument, .shareInbox, .credential,
            .smallSecret:
            .whileUnlocked
        case .backgroundCapture, .largeDownload: .whileOpen
        case .database, .downloadedImage, .appData: .afterFirstUnlock
        case .publicCache, .temporaryFile: .always
        }
    }

    var isSecret: Bool { self == .credential || self == .smallSecret }

    var isCheapCopy: Bool { self == .publicCache || self == .temporaryFile }

    var reason: String {
        switch self {
        case .healthRecord, .financialRecord, .privateDocument:
            "it is used with the person present; what runs in the background waits for the unlock"
        case .shareInbox: "it is drained while unlocked; what waits is sealed"
        case .backgroundCapture: "it can be made while locked, and is sealed once it is closed"
        case .largeDownload: "it goes on while the device locks, and is sealed once it is closed"
        case .database, .downloadedImage, .appData:
            "work in the background touches it; it is sealed after a restart, until the unlock"
        case .publicCache, .temporaryFile: "it is cheap to make again"
        case .credential, .smallSecret: "too large for a small secret, so a file of its own"
        }
    }
}
