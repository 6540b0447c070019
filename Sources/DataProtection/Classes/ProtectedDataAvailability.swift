/// Knows when data of class `complete` can be used.
///
/// What waits for the unlock takes this, and does not care whether it is a volume, a simulated
/// device or, on iOS, the application:
///
///     for await isAvailable in availability.protectedDataChanges where isAvailable {
///         try await drain()
///     }
///
/// The answer may be another one a moment later: the result of an operation is the truth.
public protocol ProtectedDataAvailability: Sendable {
    /// Whether data of class `complete` can be used now.
    var isProtectedDataAvailable: Bool { get async }

    /// The present answer, and every other one after it. Each call makes a sequence of its own.
    ///
    /// `false` comes when the keys are gone. A change back that nobody noticed is not told.
    var protectedDataChanges: AsyncStream<Bool> { get }
}
