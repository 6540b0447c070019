/// The host's wall clock, for marks on disk that people read.
package enum HostClock {
    /// The time since 1970.
    package static func now() -> HostTime { HostSystemCalls.currentTime() }

    /// The time since 1970 in whole seconds.
    package static func seconds() -> Int64 { now().seconds }

    /// The time since 1970 in whole milliseconds.
    package static func milliseconds() -> Int64 {
        let time = now()
        return time.seconds * 1000 + time.nanoseconds / 1_000_000
    }

    /// The time since 1970 in nanoseconds.
    package static func nanosecondsSince1970() -> UInt64 {
        let time = now()
        return UInt64(max(0, time.seconds)) * 1_000_000_000 + UInt64(time.nanoseconds)
    }
}
