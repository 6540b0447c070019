import DataProtection
import Glibc

/// Holds keys and plaintext of every class, and stops at each step so that its memory can be
/// searched.
struct Secrets {
    private let place: Place
    static let fileCount = 100

    init(_ place: Place) { self.place = place }

    func run() throws(ProtectionError) {
        let device = try DeviceKey.load(from: place.deviceKeyPath)
        var volume: ProtectedVolume? = try ProtectedVolume.open(at: place.path, deviceKey: device)
        Talk.pause(at: "before first unlock")
        try unlock(volume!)
        var handles = try makeFiles(volume!)
        // The cipher's context keeps the key that it used last.
        try use(handles["A"]!.last!)
        Talk.pause(at: "unlocked")
        volume!.lock()
        Talk.pause(at: "locked")
        try use(handles["C"]!.first!)
        try use(handles["D"]!.first!)
        try use(handles["B"]!.first!)
        let refused = handles["A"]!.allSatisfy { (try? $0.read(at: 0, count: 1)) == nil }
        Talk.pause(at: refused ? "B still works" : "class A can be read while locked")
        handles["B"]!.forEach { $0.close() }
        handles["B"] = []
        Talk.pause(at: "B closed")
        try unlock(volume!)
        for file in handles["A"]! { try use(file) }
        Talk.pause(at: "unlocked again")
        try volume!.close()
        handles = [:]
        volume = nil
        Talk.pause(at: "closed")
    }

    /// The passcode comes from the test and is wiped with the line's buffer.
    private func unlock(_ volume: ProtectedVolume) throws(ProtectionError) {
        Talk.say("passcode")
        var passcode = [UInt8](repeating: 0, count: 64)
        let count = read(0, &passcode, passcode.count)
        passcode.removeLast(passcode.count - max(1, count))
        passcode.removeLast()
        defer { wipe(&passcode) }
        try volume.unlock(passcode: Passcode(utf8: passcode))
    }

    /// Files of each class with marked content; all are read, and their handles stay open.
    private func makeFiles(
        _ volume: ProtectedVolume
    ) throws(ProtectionError) -> [String: [ProtectedFile]] {
        var handles: [String: [ProtectedFile]] = [:]
        for protectionClass in ProtectionClass.allCases {
            let letter = String(protectionClass.letter)
            handles[letter] = []
            for number in 0..<(letter == "A" ? Self.fileCount : 3) {
                let file = try volume.openFile(
                    "\(letter)\(number)", [.readWrite, .create], class: protectionClass)
                var content = canary(letter, number)
                defer { wipe(&content) }
                try file.write(content.span, at: 0)
                try use(file)
                handles[letter]!.append(file)
            }
        }
        return handles
    }

    /// Reads a file into a buffer of our own, and wipes it.
    private func use(_ file: ProtectedFile) throws(ProtectionError) {
        var bytes = [UInt8](repeating: 0, count: 6000)
        defer { wipe(&bytes) }
        var span = bytes.mutableSpan
        _ = try file.read(into: &span, at: 0)
        _ = try file.read(into: &span, at: 4000)
    }

    /// 32 marked bytes over and over; they are never in the program as text.
    private func canary(_ letter: String, _ number: Int) -> [UInt8] {
        let start = letter.utf8.first!
        return (0..<6000).map { index in
            UInt8(truncatingIfNeeded: (index % 32) * 37 + Int(start) * 11 + number * 3 + 5)
        }
    }

    private func wipe(_ bytes: inout [UInt8]) {
        let count = bytes.count
        bytes.withUnsafeMutableBytes { explicit_bzero($0.baseAddress!, count) }
    }
}
