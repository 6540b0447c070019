import DataProtection
import SimulatedDevice

/// The kind of error that a call ends with; `nil` when it succeeds.
func refusal(_ call: () throws -> Void) -> ProtectionError.Code? {
    do {
        try call()
        return nil
    } catch let error as ProtectionError {
        return error.code
    } catch {
        return .host
    }
}

extension SimulatedDevice {
    /// The passcode of a device that says nothing else.
    static let passcode = "1234"

    /// Makes a file.
    func make(
        _ path: String, _ bytes: [UInt8] = [1, 2, 3], _ protectionClass: ProtectionClass? = nil
    ) throws {
        try volume.write(bytes, to: path, class: protectionClass)
    }

    /// Brings the device, now unlocked, into a lock state.
    func enter(_ state: LockState) throws {
        switch state {
        case .unlocked: break
        case .grace: lock()
        case .locked: lockAtOnce()
        case .beforeFirstUnlock: try reboot()
        }
    }
}
