import DataProtection
import Foundation
import Testing

extension VolumeRig {
    /// The Foundation-shaped calls, through the door that the test runs on.
    var files: ProtectedFileManager {
        guard FilesDoor.isMounted else { return volume.files }
        if door?.volume !== volume {
            door = nil  // the volume that was closed goes first
            do { door = try FilesDoor(volume) } catch { Issue.record(error) }
        }
        return door?.files ?? volume.files
    }

    /// The URL of a path from the volume's top.
    func url(_ path: String) -> URL { files.rootURL.appending(path: path) }

    /// Makes a file of a class.
    func make(_ path: String, _ content: [UInt8], _ protectionClass: ProtectionClass? = nil) throws
    {
        try volume.write(content, to: path, class: protectionClass)
    }
}

extension Outcome {
    /// Makes a call of the Foundation-shaped layer: each of its errors is a `CocoaError`, and the
    /// numbers of *locked* are those of nothing else.
    static func ofFiles(_ call: () throws -> Void) -> Outcome {
        do {
            try call()
            return .done
        } catch let error as CocoaError {
            guard let cause = error.protectionError else {
                return .other("\(error) has no cause")
            }
            let underlying = (error.underlying as? POSIXError)?.code
            let isPermission =
                [.fileReadNoPermission, .fileWriteNoPermission].contains(error.code)
            let looksLocked = isPermission && underlying == .EPERM
            guard error.isLocked == (cause.code == .sealed), error.isLocked == looksLocked,
                underlying?.rawValue == cause.errorNumber
            else { return .other("\(error) does not say what \(cause.code) is") }
            return .refused(cause.code)
        } catch {
            return .other("\(error) is no CocoaError")
        }
    }
}

/// The kind of error that a Foundation-shaped call ends with; `nil` when it succeeds.
func fileRefusal(_ call: () throws -> Void) -> ProtectionError.Code? {
    switch Outcome.ofFiles(call) {
    case .done: return nil
    case .refused(let code): return code
    case .other(let text):
        Issue.record("\(text)")
        return nil
    }
}

/// The number of the error that a Foundation-shaped call ends with; `nil` when it succeeds.
func cocoaCode(_ call: () throws -> Void) -> Int? {
    do {
        try call()
        return nil
    } catch {
        return (error as? CocoaError)?.code.rawValue ?? -1
    }
}
