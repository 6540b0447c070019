import DataProtection
import FolderModel
import Foundation

/// A volume does what a plain folder does, whatever the calls are.
enum OperationFuzzing {
    private static let folder = NSTemporaryDirectory() + "seal-fuzz-\(getpid())"

    static func run(_ input: inout ByteReader) throws {
        let choice = input.byte()
        let setup = ModelSetup(
            host: .memory, rules: choice & 1 == 0 ? .apple : .safer,
            cipher: choice & 2 == 0 ? .aes : .chacha)
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let run = try ModelRun(setup, in: folder)
        var generator = ByteGenerator(input: input)
        var count = 0
        do {
            while !generator.input.isEmpty, count < 100 {
                try run.step(
                    .random(
                        using: &generator, locks: setup.rules == .apple, isRoot: getuid() == 0,
                        isOnDisk: false))
                count += 1
            }
            try run.finish()
        } catch {
            throw FuzzFault("\(error)")
        }
    }
}

/// Random numbers that a fuzzer chooses, two bytes at a time.
private struct ByteGenerator: RandomNumberGenerator {
    var input: ByteReader
    private var filler: UInt64 = 0

    init(input: ByteReader) { self.input = input }

    mutating func next() -> UInt64 {
        // Numbers that are always zero would never make a choice.
        filler &+= 0x9E37_79B9_7F4A_7C15
        return UInt64(input.number(UInt16.self)) << 48 | filler >> 16
    }
}
