/// Words for a shell: what a hint shows can be copied and run.
enum ShellWord {
    /// The word, in quotes when a shell would take it for something else.
    static func quoted(_ word: String) -> String {
        let isPlain = word.utf8.allSatisfy { byte in
            switch byte {
            case 0x30...0x39, 0x41...0x5A, 0x61...0x7A, 0x2B...0x2F, 0x5F: true
            default: false
            }
        }
        if isPlain, !word.isEmpty { return word }
        return "'"
            + word.split(separator: "'", omittingEmptySubsequences: false)
            .joined(separator: "'\\''") + "'"
    }

    /// The word that a shell makes of what was typed, as far as it is quoted; quotes that are still
    /// open count as closed.
    static func unquoted(_ typed: String) -> String {
        var word = String.UnicodeScalarView()
        var quote: Unicode.Scalar?
        var isEscaped = false
        for scalar in typed.unicodeScalars {
            if isEscaped {
                word.append(scalar)
                isEscaped = false
            } else if scalar == "\\", quote != "'" {
                isEscaped = true
            } else if scalar == quote {
                quote = nil
            } else if quote == nil, scalar == "'" || scalar == "\"" {
                quote = scalar
            } else {
                word.append(scalar)
            }
        }
        return String(word)
    }

    /// A command line of this program.
    ///
    /// - Parameters:
    ///   - name: the command.
    ///   - options: its options, each as it is typed.
    ///   - operands: its operands; one that begins with a dash is told from an option.
    static func seal(
        _ name: String, options: [String] = [], _ operands: [String]
    ) -> String {
        let hasDash = operands.contains { $0.hasPrefix("-") && $0 != "-" }
        let words = ["seal", name] + options + (hasDash ? ["--"] : []) + operands
        return words.map(quoted).joined(separator: " ")
    }
}
