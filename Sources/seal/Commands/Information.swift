import DataProtection

extension Command {
    static let information = Command(
        "info", "describe a volume, or say when a file can be read; needs no passcode",
        operands: [.volume, Operand("PATH", .item, isOptional: true)],
        options: [.json] + Option.access,
        details: """
            With PATH: the class, whether the content can be read now, why, when it will be, and
            what to choose instead: for work that fails in the background, or after a reboot.
            """,
        examples: ["seal info vault", "seal info vault letters/letter.pdf"],
        run: runInformation)

    private static func runInformation(_ arguments: Arguments) throws {
        let keybag = try KeybagSummary(volumePath: arguments.volumePath)
        try VolumeAccess.with(arguments) { volume in
            let facts: [Fact]
            var damage: String?
            if let path = arguments.operand(1) {
                (facts, damage) = try itemFacts(path, arguments.volumePath, volume)
            } else {
                facts = volumeFacts(arguments.volumePath, volume, keybag)
            }
            if arguments.has(.json) {
                try Output.line(JSONValue.object(facts.map { ($0.key, $0.value) }).text)
            } else {
                try Output.text(facts.flatMap(\.lines).map { $0 + "\n" }.joined())
            }
            if let damage, let path = arguments.operand(1) {
                let loss = try volume.lossOfNames(in: path)
                throw Failure(
                    "\(path): \(damage)", remedy: loss?.remedy ?? "restore it from a backup",
                    exitCode: .damaged)
            }
        }
    }

    private static func volumeFacts(
        _ path: String, _ volume: ProtectedVolume, _ keybag: KeybagSummary
    ) -> [Fact] {
        let readable = ProtectionClass.allCases.filter { volume.availability(of: $0).canOpen }
        return [
            Fact("volume", .string(path)),
            Fact("format", .integer(Int64(KeybagSummary.format))),
            Fact("id", .string(volume.identifier)),
            Fact("cipher", .string(volume.cipher.rawValue)),
            Fact("rules", .string(volume.ruleSet.name)),
            Fact("default class", .string(volume.defaultClass.name)),
            Fact("passcode", .bool(volume.hasPasscode)),
            costFact(volume.passcodeCost),
            Fact("passcode delays", .bool(keybag.delaysPasscodes)),
            Fact("recovery key", .bool(volume.hasRecoveryKey)),
            Fact("private names", .bool(volume.hasPrivateNames)),
            Fact("names", .string(namesState(volume))),
            Fact("closed cleanly", .bool(!volume.wasUnclean)),
            Fact("keybag", .string(keybag.fault ?? "both copies are whole")),
            Fact("state", .string(volume.lockState.rawValue)),
            Fact(
                "readable now", .array(readable.map { .string($0.name) }), key: "readableClasses",
                text: readable.isEmpty
                    ? "nothing" : "files of class " + readable.map(\.name).joined(separator: ", ")),
        ]
    }

    /// Whether the names in the top folder can be read, in words.
    private static func namesState(_ volume: ProtectedVolume) -> String {
        do throws(ProtectionError) {
            return try volume.lossOfNames(in: "/")?.message ?? "can be read"
        } catch {
            return error.message
        }
    }

    private static func costFact(_ cost: KeyDerivationCost?) -> Fact {
        guard let cost else { return Fact("passcode cost", .null) }
        let byteCount = Int64(cost.memoryByteCount)
        return Fact(
            "passcode cost",
            .object([
                ("passes", .integer(Int64(cost.passCount))), ("memoryBytes", .integer(byteCount)),
            ]),
            text: "\(cost.passCount) passes over \(Progress.amount(byteCount))")
    }

    private static func itemFacts(
        _ path: String, _ volumePath: String, _ volume: ProtectedVolume
    ) throws -> ([Fact], damage: String?) {
        try volume.requireFolder(ifNamed: path)
        let attributes = try volume.attributes(of: path)
        var facts = [
            Fact("path", .string(path)), Fact("kind", .string(attributes.kind.rawValue)),
        ]
        guard attributes.kind == .file else {
            facts.append(Fact("class", .optional(attributes.protectionClass?.name)))
            if attributes.kind == .folder {
                facts.append(Fact("meaning", .string(folderMeaning(attributes, volume))))
                facts.append(Fact("damage", .optional(attributes.damage)))
            }
            return (facts, attributes.damage)
        }
        var damage = attributes.damage
        if damage == nil, !attributes.isSealed { damage = damageFound(byOpening: path, in: volume) }
        facts += [
            Fact("class", .optional(attributes.protectionClass?.name)),
            Fact("size", .integer(attributes.size)),
            Fact("mode", .string("0" + String(attributes.mode, radix: 8))),
            Fact("readable now", .bool(!attributes.isSealed && damage == nil)),
            Fact("damage", .optional(damage)),
        ]
        if let protectionClass = attributes.protectionClass, damage == nil {
            let advice = ClassAdvice(protectionClass, hasPasscode: volume.hasPasscode)
            facts += advice.facts(isSealed: attributes.isSealed, volumePath, path)
        }
        return (facts, damage)
    }

    private static func folderMeaning(
        _ attributes: ItemAttributes, _ volume: ProtectedVolume
    ) -> String {
        attributes.protectionClass == nil
            ? "new files get the volume's class, \(volume.defaultClass)"
            : "new files get this class; what is in the folder keeps its own"
    }

    /// What a sealed file would hide: whether header and end are those that were written.
    private static func damageFound(byOpening path: String, in volume: ProtectedVolume) -> String? {
        do throws(ProtectionError) {
            try volume.openFile(path, .read).close()
            return nil
        } catch {
            return error.code == .damaged ? error.message : nil
        }
    }
}
