import ProtectionAgent
import Testing

/// Who asks for the passcode, and what is understood of the answer.
@Suite struct PasscodeProgramTests {
    private struct Row {
        let word: String
        let hasDisplay: Bool
        let isRoot: Bool
        let isThere: Bool
        let program: PasscodeProgram?
    }

    private static let table = [
        Row(word: "auto", hasDisplay: true, isRoot: false, isThere: true, program: .pinentry),
        Row(word: "auto", hasDisplay: true, isRoot: true, isThere: true, program: .pinentry),
        Row(word: "auto", hasDisplay: true, isRoot: false, isThere: false, program: nil),
        Row(word: "auto", hasDisplay: false, isRoot: true, isThere: true, program: .systemd),
        Row(word: "auto", hasDisplay: false, isRoot: false, isThere: true, program: nil),
        Row(word: "none", hasDisplay: true, isRoot: true, isThere: true, program: nil),
        Row(word: "systemd", hasDisplay: false, isRoot: false, isThere: false, program: .systemd),
        Row(word: "pinentry", hasDisplay: false, isRoot: false, isThere: false, program: .pinentry),
        Row(
            word: "/bin/ask", hasDisplay: false, isRoot: false, isThere: false,
            program: .program("/bin/ask")),
    ]

    @Test func `who asks is chosen by what there is`() {
        for row in Self.table {
            let program = PasscodeProgram(
                row.word, hasDisplay: row.hasDisplay, isRoot: row.isRoot,
                isThere: { _ in row.isThere })
            #expect(program == row.program, "\(row)")
        }
    }

    @Test(arguments: ["", "1234", "a%b", "100%", "%zz", "line\nline", "\r", "größe"])
    func `what pinentry is told comes back as it was`(text: String) {
        let escaped = PasscodeProgram.escaped(text)
        #expect(!escaped.contains("\n"))
        #expect(PasscodeProgram.unescaped(Array(escaped.utf8)) == Array(text.utf8))
    }
}
