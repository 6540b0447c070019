import DataProtection
import FuzzTargets

#if canImport(seal)
    import seal
#else
    import SealCommand
#endif

/// What a person types, fed with arbitrary bytes.
public enum CommandFuzzing: String, CaseIterable, Sendable {
    /// The words of a command line.
    case command
    /// The names of classes, and names that tell to which file another belongs.
    case words

    /// Feeds it.
    ///
    /// - Throws: what is wrong; nothing else, whatever the bytes are.
    public func run(_ bytes: [UInt8]) throws {
        var input = ByteReader(bytes)
        switch self {
        case .command: try Self.parse(&input)
        case .words: try Self.read(String(decoding: bytes, as: UTF8.self))
        }
    }

    private static func parse(_ input: inout ByteReader) throws {
        let command = Command.all[input.below(Command.all.count)]
        var words: [String] = []
        while !input.isEmpty {
            words.append(String(decoding: input.take(until: 0), as: UTF8.self))
        }
        guard let arguments = try? Arguments.parse(words, of: command) else { return }
        let needed = command.operands.count { !$0.isOptional }
        let repeats = command.operands.last?.repeats ?? false
        try FuzzFault.unless(
            arguments.operands.count >= needed && !arguments.operands.contains("")
                && (repeats || arguments.operands.count <= command.operands.count),
            "\(words) has the wrong number of operands")
        for operand in arguments.operands {
            try FuzzFault.unless(words.contains(operand), "\(operand) was not typed")
        }
        // Everything that was typed can be typed in another way.
        var again: [String] = []
        for option in command.options {
            if option.value == nil, arguments.has(option) { again.append(option.name) }
            guard let value = arguments.value(option) else { continue }
            try FuzzFault.unless(option.value != nil && !value.isEmpty, "a flag has a value")
            again.append("\(option.name)=\(value)")
        }
        let second = try Arguments.parse(again + ["--"] + arguments.operands, of: command)
        try FuzzFault.unless(
            second.operands == arguments.operands
                && command.options.allSatisfy {
                    second.has($0) == arguments.has($0) && second.value($0) == arguments.value($0)
                }, "\(words) and \(again) are not the same")
    }

    private static func read(_ text: String) throws {
        if let found = ProtectionClass(named: text) {
            let names = [found.name, found.foundationRawValue, String(found.letter)]
            try FuzzFault.unless(
                names.contains(text) || text == String(found.letter).lowercased(),
                "\(text) names \(found)")
        }
        _ = KeyDerivationCost(named: text)
        _ = CompanionNames.isSharedMemory(text)
        if let owner = CompanionNames.standard.owner(of: text) {
            let all = CompanionNames.standard.frames.map { Array(($0.start + owner + $0.end).utf8) }
            try FuzzFault.unless(
                !owner.isEmpty && all.contains(Array(text.utf8)), "\(text) belongs to \(owner)")
        }
        if let passcode = try? Passcode(text) {
            let count = passcode.withBytes { $0.count }
            try FuzzFault.unless((1...1024).contains(count), "a passcode has \(count) bytes")
        }
    }
}
