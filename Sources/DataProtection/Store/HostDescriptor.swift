/// An open descriptor of the host, closed when its owner goes.
struct HostDescriptor: ~Copyable, Sendable {
    /// The number the kernel knows it by.
    let number: Int32

    /// Takes over a descriptor that is open and that nobody else closes.
    init(owning number: Int32) {
        self.number = number
    }

    deinit {
        // Linux frees the number even when it reports EINTR or EIO: nothing is left to retry.
        HostSystemCalls.close(number)
    }
}
