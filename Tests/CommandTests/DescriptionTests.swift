import Foundation
import Testing
import seal

/// What every description of a command has.
@Suite struct DescriptionTests {
    @Test(arguments: Command.all.map(\.name))
    func `a command explains itself, with an example`(name: String) throws {
        let (text, status) = try SessionShell().run(
            "seal help \(name) && seal \(name) --help | tail -n 1")
        #expect(status == 0)
        #expect(text.hasPrefix("usage: seal \(name)"))
        let command = try #require(Command.all.first { $0.name == name })
        if !command.isHidden { #expect(command.examples.contains { $0.contains("seal \(name)") }) }
        for line in text.split(separator: "\n") { #expect(line.count <= 100, "\(line)") }
    }

    @Test func `the manual page has every command that is not hidden, with its options`() throws {
        let (text, _) = try SessionShell().run("seal help --man")
        let sections = text.components(separatedBy: ".SS ").dropFirst()
        let names = sections.map { section in
            section.prefix { $0 != " " }.replacingOccurrences(of: "\\-", with: "-")
        }
        let shown = Command.all.filter { !$0.isHidden }
        #expect(names == shown.map(\.name))
        for (section, command) in zip(sections, shown) {
            for option in command.options {
                let name = option.name.replacingOccurrences(of: "-", with: "\\-")
                #expect(section.contains("\\fB\(name)\\fR"), "\(command.name) \(option.name)")
            }
        }
    }

    @Test func `names and letters of options are unique in a command`() {
        for command in Command.all {
            #expect(Set(command.options.map(\.name)).count == command.options.count)
            let letters = command.options.compactMap(\.letter)
            #expect(Set(letters).count == letters.count)
            #expect(command.options.allSatisfy { $0.name.hasPrefix("--") })
        }
        #expect(Set(Command.all.map(\.name)).count == Command.all.count)
    }

    @Test(arguments: ["p", "=p", "\u{483}p", "\u{301}", " "])
    func `a value is all that stands behind the sign`(value: String) throws {
        let command = try #require(Command.all.first { $0.name == "get" })
        let option = try #require(command.options.first { $0.name == "--passcode-file" })
        for words in [["--passcode-file=" + value], ["--passcode-file", value]] {
            let arguments = try Arguments.parse(words + ["volume", "file", "-"], of: command)
            let found = try #require(arguments.value(option))
            #expect(Array(found.utf8) == Array(value.utf8))
        }
    }

    @Test func `every exit status is a number of its own`() {
        #expect(ExitCode.allCases.map(\.rawValue) == [0, 1, 2, 3, 4, 5, 7])
    }
}
