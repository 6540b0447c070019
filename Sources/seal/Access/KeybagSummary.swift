import DataProtection

/// What the keybag says of itself before the volume is opened.
struct KeybagSummary {
    /// The format it has.
    static let format = 1
    /// What is wrong with one of its two copies; `nil` when both are whole.
    let fault: String?
    /// Whether wrong passcodes are answered with Apple's delays.
    let delaysPasscodes: Bool
    /// Whether a passcode opens it.
    let hasPasscode: Bool

    /// Reads the keybag of a volume.
    init(volumePath: String) throws {
        do {
            guard try HostNames.status(volumePath) != nil else {
                throw VolumeAccess.missing(volumePath)
            }
            let found = try KeybagFiles(folder: try FolderStore(path: volumePath).root).read()
            fault = found.fault
            delaysPasscodes = found.record.delaysPasscodes
            hasPasscode = Keybag(record: found.record).hasPasscode
        } catch let error as HostError {
            throw ProtectionError(error).at(volumePath)
        } catch let error as ProtectionError {
            throw error.at(volumePath)
        }
    }
}

extension Arguments {
    /// The cost that `--kdf` names.
    func cost() throws -> KeyDerivationCost? {
        try value(.cost, choices: "interactive, moderate or sensitive") {
            KeyDerivationCost(named: $0)
        }
    }

    /// The class that an option names.
    func protectionClass(_ option: Option) throws -> ProtectionClass? {
        try value(option, choices: Self.classChoices) { ProtectionClass(named: $0) }
    }

    /// What a class can be called.
    static let classChoices =
        "complete, completeUnlessOpen, completeUntilFirstUserAuthentication or none"
}
