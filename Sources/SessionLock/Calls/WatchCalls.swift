internal import Glibc

/// System calls of the thread that watches.
enum WatchCalls {
    /// A pipe; what is written to its second end wakes who waits for the first. See `pipe(2)`.
    static func makeWaker() -> (reading: Int32, writing: Int32) {
        var ends: [Int32] = [-1, -1]
        guard unsafe pipe(&ends) == 0 else { return (-1, -1) }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        return (ends[0], ends[1])
    }

    /// Wakes who waits.
    static func wake(_ writing: Int32) { _ = unsafe write(writing, [1] as [UInt8], 1) }

    /// Waits until something arrives, or a time has passed. See `poll(2)`.
    ///
    /// - Parameter milliseconds: how long at most; -1 for ever.
    static func wait(_ wanted: inout [pollfd], milliseconds: Int32) {
        _ = unsafe poll(&wanted, nfds_t(wanted.count), milliseconds)
    }

    /// Gives a descriptor back.
    static func close(_ number: Int32) { _ = Glibc.close(number) }

    /// The number of the user that this process belongs to.
    static var user: UInt32 { getuid() }

    /// Seconds since some moment in the past, also those spent asleep.
    static func seconds() -> Double {
        var time = timespec()
        unsafe clock_gettime(CLOCK_BOOTTIME, &time)
        return Double(time.tv_sec) + Double(time.tv_nsec) / 1e9
    }
}
