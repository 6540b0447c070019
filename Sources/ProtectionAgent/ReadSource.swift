internal import Dispatch

/// Calls back when a descriptor can be read. Any thread may use it, which Dispatch grants but does
/// not declare.
final class ReadSource: @unchecked Sendable {
    private let source: any DispatchSourceRead

    /// Looks at a descriptor from now on.
    ///
    /// - Parameters:
    ///   - owner: kept until nobody looks any more, so that the number is not another file's.
    ///   - hear: called on the queue.
    init(
        _ number: Int32, _ queue: DispatchQueue, keeping owner: some Sendable,
        _ hear: @escaping @Sendable () -> Void
    ) {
        source = DispatchSource.makeReadSource(fileDescriptor: number, queue: queue)
        source.setEventHandler(handler: hear)
        source.setCancelHandler { _ = owner }
        source.resume()
    }

    /// Looks no more.
    func cancel() { source.cancel() }
}
