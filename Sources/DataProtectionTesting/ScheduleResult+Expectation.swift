public import SimulatedDevice
public import Testing

extension ScheduleResult {
    /// Expects that no schedule failed, in Swift Testing. If one did, the issue says what went
    /// wrong and with which seed it can be replayed, and the test gets an attachment
    /// `schedule.txt`: the shortest failing schedule with its trace.
    ///
    /// - Parameter sourceLocation: where an issue is shown.
    public func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) {
        guard let failure else { return }
        Attachment.record(
            failure.description, named: "schedule.txt", sourceLocation: sourceLocation)
        Issue.record(
            "\(failure.reason): \(failure.schedule), seed \(failure.seed)",
            sourceLocation: sourceLocation)
    }
}
