internal import DataProtection
internal import FoundationEssentials

/// What a look at a file's class came to.
enum ClassFinding: Equatable {
    /// The class is the expected one.
    case expected
    /// Something is wrong, in a sentence.
    case failure(String)
    /// Nothing can be told here, for this reason.
    case skip(String)

    /// Looks at the class that is recorded for a file.
    ///
    /// The file is looked at first, also where no class is recorded: one that is missing or damaged
    /// is wrong everywhere, and no reason to skip.
    init(of url: URL, is expected: ProtectionClass, in files: ProtectedFileManager) {
        let found: ItemAttributes
        do {
            found = try files.attributes(of: url)
        } catch {
            self = .failure(
                Sentence.cannotTell(url, error.protectionError?.description ?? "\(error)"))
            return
        }
        if let damage = found.damage {
            self = .failure(Sentence.cannotTell(url, "it is damaged: \(damage)"))
        } else if files.volume?.recordsClasses == false {
            self = .skip(Sentence.notEnforced)
        } else if let recorded = found.protectionClass {
            self =
                recorded == expected
                ? .expected : .failure(Sentence.wrongClass(url, expected, recorded))
        } else {
            self = .failure(Sentence.noClass(url, expected))
        }
    }
}

extension StatedProtection {
    /// What is wrong with what is written down; `nil` for nothing.
    func fault(expecting expected: ProtectionClass) -> String? {
        do throws(ProtectionError) {
            let stated = try statedClass
            return stated == expected ? nil : Sentence.wrongPolicy(expected, stated)
        } catch {
            return Sentence.noPolicy(expected, error)
        }
    }
}

/// Every sentence that these checks can say.
enum Sentence {
    /// Why nothing is told of a file.
    static let notEnforced =
        "no class is recorded here: Data Protection is not enforced, as in Apple's Simulator"

    static func wrongClass(
        _ url: URL, _ expected: ProtectionClass, _ found: ProtectionClass
    ) -> String {
        "\(url.path): expected class \(expected), found \(found)"
            + " (was it written without the policy, or moved here from elsewhere?)"
    }

    static func noClass(_ url: URL, _ expected: ProtectionClass) -> String {
        "\(url.path): expected class \(expected), found something that has no class of its own"
            + " (a folder gets one by setAttributes)"
    }

    static func cannotTell(_ url: URL, _ reason: String) -> String {
        "\(url.path): its class cannot be told: \(reason)"
    }

    static func wrongPolicy(_ expected: ProtectionClass, _ stated: ProtectionClass?) -> String {
        "the policy: expected class \(expected), it names "
            + (stated.map { "class \($0)" } ?? "no class")
    }

    static func noPolicy(_ expected: ProtectionClass, _ error: ProtectionError) -> String {
        "the policy: expected class \(expected), it names no single one: \(error)"
    }
}
