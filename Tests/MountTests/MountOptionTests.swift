import DataProtection
import Foundation
import Testing

@testable import ProtectedMount

/// What is asked of the kernel.
@Suite("The options of a mount")
struct MountOptionTests {
    @Test func `let nobody in but this user, and no device or set-user-ID bit count`() {
        let options = ProtectedMount.Options()
        #expect(!options.allowOther && !options.readOnly)
        let words = Set(options.text.split(separator: ","))
        #expect(words.isSuperset(of: ["default_permissions", "nosuid", "nodev"]))
        #expect(words.isDisjoint(with: ["allow_other", "ro", "suid", "dev"]))
    }

    @Test func `never ask for the write-back cache, whatever the kernel offers`() {
        #expect(Operations.wanted(capable: .max, suggested: .max) & 1 << 16 == 0)
        #expect(Operations.wanted(capable: .max, suggested: 0) & 1 << 16 == 0)
    }

    @Test func `reserve names that name a class`() throws {
        let read = try ReservedName.read(Array(".dataprotection:B:x:y".utf8))
        #expect(read.protectionClass == .completeUnlessOpen && read.name == Array("x:y".utf8))
        #expect(try ReservedName.read(Array("note".utf8)).protectionClass == nil)
        for name in [".dataprotection:", ".dataprotection:x:y", ".dataprotection:A"] {
            #expect(throws: ProtectionError.self) { try ReservedName.read(Array(name.utf8)) }
        }
    }
}
