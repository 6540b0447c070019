import DataProtection
import Foundation
import TestSupport
import Testing

/// Strings in a volume.
@Suite(.bothDoors) struct `Text in a volume` {
    private static let text = "\u{1F512} naïve — 日本語\r\n\0"

    @Test(arguments: [String.Encoding.utf8, .utf16, .utf16BigEndian, .utf32LittleEndian])
    func `is what was written`(encoding: String.Encoding) throws {
        let rig = try VolumeRig()
        for isAtomic in [false, true] {
            for text in [Self.text, "", Self.text + Self.text] {
                try text.write(
                    to: rig.url("f"), atomically: isAtomic, encoding: encoding, in: rig.files)
                #expect(
                    try String(contentsOf: rig.url("f"), encoding: encoding, in: rig.files) == text)
                #expect(
                    try Data(contentsOf: rig.url("f"), in: rig.files)
                        == #require(text.data(using: encoding)))
            }
        }
        try Self.text.dropFirst(2).write(
            to: rig.url("f"), atomically: true, encoding: encoding, in: rig.files)
        #expect(
            try String(contentsOf: rig.url("f"), encoding: encoding, in: rig.files)
                == String(Self.text.dropFirst(2)))
    }

    @Test func `that an encoding does not have is an error, and nothing is written`() throws {
        let rig = try VolumeRig()
        try rig.make("f", [0x41, 0xFF])
        for isAtomic in [false, true] {
            #expect(
                cocoaCode {
                    try Self.text.write(
                        to: rig.url("f"), atomically: isAtomic, encoding: .ascii, in: rig.files)
                } == 517)
        }
        #expect(try rig.volume.read("f") == [0x41, 0xFF])
        #expect(
            cocoaCode {
                _ = try String(contentsOf: rig.url("f"), encoding: .utf8, in: rig.files)
            } == 261)
        #expect(
            fileRefusal {
                _ = try String(contentsOf: rig.url("f"), encoding: .utf8, in: rig.files)
            } == .invalidArgument)
    }

    @Test func `is sealed as every file, and its class is the rules' choice`() throws {
        let rig = try VolumeRig()
        try rig.volume.makeFolder("d", class: .complete)
        try "a".write(to: rig.url("d/f"), atomically: true, encoding: .utf8, in: rig.files)
        #expect(try rig.volume.protectionClass(of: "d/f") == .complete)
        rig.volume.lock()
        let read = Outcome.ofFiles {
            _ = try String(contentsOf: rig.url("d/f"), encoding: .utf8, in: rig.files)
        }
        let write = Outcome.ofFiles {
            try "b".write(to: rig.url("d/f"), atomically: true, encoding: .utf8, in: rig.files)
        }
        #expect(read == .sealed)
        #expect(write == .sealed)
    }
}
