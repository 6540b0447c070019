import SimulatedDevice
import Testing

extension ScheduleResult {
    /// Fails the test if a schedule failed, and attaches what it did.
    func expectSuccess(sourceLocation: SourceLocation = #_sourceLocation) {
        guard let failure else { return }
        Attachment.record(
            failure.description, named: "schedule.txt", sourceLocation: sourceLocation)
        Issue.record(
            "\(failure.reason): \(failure.schedule), seed \(failure.seed)",
            sourceLocation: sourceLocation)
    }
}
