/// What happened in a run, in order.
struct ScheduleTrace: Sendable, Equatable {
    /// Who is at work.
    enum Worker: Sendable, Equatable {
        case task(Int)
        /// An actor's turn, or the way back of a task that yielded: its job names no task.
        case unnamed

        var text: String {
            switch self {
            case .task(let number): "task \(number)"
            case .unnamed: "an actor or yield"
            }
        }
    }

    /// What a step does.
    enum Step: Sendable, Equatable {
        /// A task or an actor runs until it suspends.
        case job(Worker)
        /// A task calls the engine.
        case operation(String, Worker)

        var text: String {
            switch self {
            case .job(let worker): "\(worker.text) runs"
            case .operation(let name, let worker): "\(name) in \(worker.text)"
            }
        }
    }

    private enum Line: Sendable, Equatable {
        case step(Step)
        case action(String)
        case note(String)
    }

    private var lines: [Line] = []
    private var steps: [Step] = []

    mutating func step(_ step: Step) {
        lines.append(.step(step))
        steps.append(step)
    }

    mutating func action(_ name: String) { lines.append(.action(name)) }

    mutating func note(_ text: String) { lines.append(.note(text)) }

    /// A schedule, for people.
    func describe(_ schedule: Schedule, actionNames: [String]) -> [String] {
        schedule.entries.map { entry in
            let what =
                steps.indices.contains(entry.step - 1) ? steps[entry.step - 1].text : "the end"
            return switch entry.decision {
            case .action(let action): "step \(entry.step), before \(what): \(actionNames[action])"
            case .overtake: "step \(entry.step): \(what), though others came first"
            }
        }
    }

    /// A line for each step, with its number, and for each thing that happened in between.
    var text: [String] {
        var number = 0
        return lines.map { line in
            switch line {
            case .step(let step):
                number += 1
                return "\(number)  \(step.text)"
            case .action(let name): return "   >>> \(name)"
            case .note(let text): return "   \(text)"
            }
        }
    }
}
