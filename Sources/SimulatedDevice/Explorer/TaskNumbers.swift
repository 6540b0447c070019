/// Numbers the tasks of a run in the order in which they first ran.
struct TaskNumbers: Sendable {
    private var numbers: [UInt: (identifier: Int, number: Int)] = [:]
    private var count = 0

    /// The task whose job this is; `nil` for an actor's turn.
    ///
    /// A task and its jobs have one address, which is given to another task later; the identifier
    /// that a job's description tells is never used again in a process.
    mutating func number(of job: UnownedJob) -> Int? {
        guard let identifier = Self.identifier(in: job.description) else { return nil }
        let address = unsafe unsafeBitCast(job, to: UInt.self)
        if let known = numbers[address], known.identifier == identifier { return known.number }
        count += 1
        numbers[address] = (identifier, count)
        return count
    }

    /// The task that runs on this thread, if one of its jobs was seen.
    func current() -> Int? {
        unsafe withUnsafeCurrentTask { task in
            guard let task = unsafe task else { return nil }
            return numbers[unsafe unsafeBitCast(task, to: UInt.self)]?.number
        }
    }

    /// The digits in `UnownedJob(id: 12)`.
    private static func identifier(in description: String) -> Int? {
        var identifier: Int?
        for byte in description.utf8 where byte >= 48 && byte <= 57 {
            identifier = (identifier ?? 0) * 10 + Int(byte - 48)
        }
        return identifier
    }
}
