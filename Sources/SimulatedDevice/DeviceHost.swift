internal import DataProtection
internal import Foundation
internal import Synchronization

/// What is around a device's volume and outlives it: the time of day, the size of the disk, faults.
final class DeviceHost: Sendable {
    private struct State {
        /// How far people have set the date from where it would be.
        var shift: Duration = .zero
        /// The size of the disk, in bytes.
        var byteLimit: Int64
        /// How many host calls succeed before some fail, how many then do, and with what.
        var skippedCount = 0
        var faultCount = 0
        var faultNumber: Int32 = 0
    }

    /// Larger than any test needs, and not without end: only such a disk can be filled.
    private static let largestByteCount: Int64 = 1 << 44

    private let clock: SimulatedClock
    private let start: Duration
    private let ownByteLimit: Int64
    private let state: Mutex<State>

    init(_ clock: SimulatedClock, startTime: Date, byteLimit: Int64?) {
        self.clock = clock
        start = .seconds(startTime.timeIntervalSince1970)
        ownByteLimit = byteLimit ?? Self.largestByteCount
        state = Mutex(State(byteLimit: ownByteLimit))
    }

    /// The time of a clock that nobody can set, in seconds since 1970: for the delays after wrong
    /// passcodes, as the Secure Enclave keeps them.
    var enclaveSeconds: Int64 { (start + clock.now.offset).components.seconds }

    /// The date and time as the device shows them, since 1970.
    var wallTime: Duration {
        get { start + clock.now.offset + state.withLock { $0.shift } }
        set {
            let shift = newValue - start - clock.now.offset
            state.withLock { $0.shift = shift }
        }
    }

    /// The same in milliseconds; a date that they do not reach is cut.
    var dateMilliseconds: Int64 {
        let time = wallTime.components
        let bounded = min(max(time.seconds, -(1 << 52)), 1 << 52)
        return bounded * 1000 + time.attoseconds / 1_000_000_000_000_000
    }

    /// The size of the disk, in bytes; `nil` sets the device's own.
    var byteLimit: Int64? {
        get { state.withLock { $0.byteLimit } }
        set { state.withLock { $0.byteLimit = newValue ?? ownByteLimit } }
    }

    /// Makes host calls fail from now on.
    func failCalls(_ count: Int, after skippedCount: Int, _ errorNumber: Int32) {
        state.withLock { state in
            state.skippedCount = skippedCount
            state.faultCount = count
            state.faultNumber = errorNumber
        }
    }

    private func willCall(_ call: HostCall) throws(HostError) {
        let errorNumber = state.withLock { state -> Int32? in
            guard state.faultCount > 0 else { return nil }
            guard state.skippedCount == 0 else {
                state.skippedCount -= 1
                return nil
            }
            state.faultCount -= 1
            return state.faultNumber
        }
        if let errorNumber {
            throw HostError(code: errorNumber, call: call.operation.rawValue)
        }
    }

    /// How a store on this host behaves.
    var storeOptions: MemoryStore.Options {
        var options = MemoryStore.Options()
        options.byteLimit = byteLimit
        options.clock = { [self] in
            let time = wallTime.components
            let nanoseconds = time.attoseconds / 1_000_000_000
            // Before 1970 both parts are negative.
            return nanoseconds < 0
                ? HostTime(seconds: time.seconds - 1, nanoseconds: nanoseconds + 1_000_000_000)
                : HostTime(seconds: time.seconds, nanoseconds: nanoseconds)
        }
        options.onCall = { [self] call throws(HostError) in try willCall(call) }
        return options
    }
}
