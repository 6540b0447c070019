import DataProtection
import Glibc

/// A program that embeds the library and does what a test says, so that the test can kill it, cut
/// its power, and search its memory.
///
/// It is told by arguments and by lines on standard input, and answers with a line for each.
@main
struct CrashDriver {
    static func main() async {
        let arguments = CommandLine.arguments
        guard arguments.count >= 4 else {
            print("usage: CrashDriver COMMAND VOLUME DEVICE-KEY …")
            exit(64)
        }
        do {
            let place = Place(path: arguments[2], deviceKeyPath: arguments[3])
            let rest = Array(arguments.dropFirst(4))
            switch arguments[1] {
            case "make": try place.make()
            case "churn": try Churn(place).run()
            case "fill": try Blocks(place).fill(blockCount: Int(rest[0])!)
            case "overwrite": try Blocks(place).overwrite(rest.map { Int($0)! })
            case "files": try Blocks(place).makeFiles(count: Int(rest[0])!)
            case "folder": try Blocks(place).makeFolder(rest[0])
            case "check": try Checker(place).run(rest)
            case "outbox": try await OutboxWork(place, folder: rest[0]).run()
            case "outbox-finish": try await OutboxWork(place, folder: rest[0]).finish()
            case "database": try DatabaseWork(place, mode: rest[0], log: rest[1]).run()
            case "secrets": try Secrets(place).run()
            default: exit(64)
            }
        } catch {
            print("failed: \(error)")
            exit(1)
        }
    }
}

/// A volume and its device key on the host.
struct Place {
    var path: String
    var deviceKeyPath: String
    static let cost = KeyDerivationCost(passCount: 1, memoryByteCount: 8192)

    /// Makes a volume with the passcode `one`.
    func make() throws(ProtectionError) {
        let volume = try ProtectedVolume.create(
            at: path, configuration: VolumeConfiguration(passcodeCost: Self.cost),
            passcode: Passcode("one"),
            deviceKey: DeviceKey.loadOrCreate(at: deviceKeyPath))
        try volume.close()
    }

    /// Opens and unlocks it with the first of these passcodes that works.
    func open(_ passcodes: [String] = ["one"]) throws(ProtectionError) -> (ProtectedVolume, String)
    {
        let volume = try ProtectedVolume.open(
            at: path, deviceKey: DeviceKey.load(from: deviceKeyPath))
        for passcode in passcodes {
            do throws(ProtectionError) {
                try volume.unlock(passcode: Passcode(passcode))
                return (volume, passcode)
            } catch  where error.code == .wrongPasscode {}
        }
        throw .wrongPasscode
    }
}

/// Answers a test, and waits for its next byte.
enum Talk {
    /// Says something at once.
    static func say(_ line: String) {
        print(line)
        fflush(nil)
    }

    /// Says that a point is reached, and waits to be told to go on; ends when nobody is there.
    static func pause(at point: String) {
        say(point)
        var byte: UInt8 = 0
        guard read(0, &byte, 1) == 1 else { exit(0) }
    }

    /// Says that a point is reached, and waits to be killed.
    static func stop(at point: String) -> Never {
        say(point)
        while true { sleep(60) }
    }
}
