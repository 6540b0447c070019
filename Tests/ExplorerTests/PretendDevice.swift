import SimulatedDevice
import Synchronization

/// A device of texts in memory: the least that schedules can be explored on.
final class PretendDevice: ExploredDevice {
    /// What one life of an app has: the device, as long as the life lasts.
    struct Process: Sendable {
        let device: PretendDevice
        let life: Int
    }

    enum Refusal: Error { case sealed, closed, missing }

    private struct Sleeper {
        let deadline: Duration
        let continuation: CheckedContinuation<Void, Never>
    }

    private struct State {
        var texts: [String: String] = [:]
        var isUnlocked = true
        var life = 1
        var now = Duration.zero
        var sleepers: [Sleeper] = []
        var watcher: @Sendable (String) -> Void = { _ in }
        var waitsForUnlock: [CheckedContinuation<Void, Never>] = []
    }

    private let state = Mutex(State())

    func process() -> Process { Process(device: self, life: state.withLock { $0.life }) }
    var isUnlocked: Bool { state.withLock { $0.isUnlocked } }
    var names: [String] { state.withLock { $0.texts.keys.sorted() } }

    func happen(_ event: DeviceEvent) {
        let woken = state.withLock { state -> [CheckedContinuation<Void, Never>] in
            switch event {
            case .lock: state.isUnlocked = false
            case .unlock: state.isUnlocked = true
            case .reboot, .powerCut:
                state.isUnlocked = false
                state.life += 1
            case .kill: state.life += 1
            }
            guard event != .lock else { return [] }
            defer { state.waitsForUnlock = [] }
            return state.waitsForUnlock
        }
        for continuation in woken { continuation.resume() }
    }

    func wakeNextSleeper() -> Duration? {
        let next = state.withLock { state -> (Duration, CheckedContinuation<Void, Never>)? in
            guard let first = state.sleepers.min(by: { $0.deadline < $1.deadline }),
                let index = state.sleepers.firstIndex(where: { $0.deadline == first.deadline })
            else { return nil }
            state.sleepers.remove(at: index)
            defer { state.now = first.deadline }
            return (first.deadline - state.now, first.continuation)
        }
        next?.1.resume()
        return next?.0
    }

    func watchOperations(_ watcher: @escaping @Sendable (String) -> Void) {
        state.withLock { $0.watcher = watcher }
    }

    func endRun() {
        happen(.kill)
        while wakeNextSleeper() != nil {}
    }

    /// Never resumes it.
    func keep(_ continuation: CheckedContinuation<Void, Never>) {
        state.withLock { $0.waitsForUnlock.append(continuation) }
    }

    /// Waits on the device's clock.
    func sleep(for duration: Duration) async {
        await withCheckedContinuation { continuation in
            state.withLock {
                $0.sleepers.append(
                    Sleeper(deadline: $0.now + duration, continuation: continuation))
            }
        }
    }

    fileprivate func operate<Result>(
        _ name: String, life: Int, _ body: (inout [String: String], Bool) throws -> Result
    ) throws -> Result {
        let watcher = state.withLock { $0.watcher }
        watcher(name)
        return try state.withLock { state in
            guard state.life == life else { throw Refusal.closed }
            return try body(&state.texts, state.isUnlocked)
        }
    }

    fileprivate func waitForUnlock() async {
        await withCheckedContinuation { continuation in
            let isUnlocked = state.withLock { state in
                if !state.isUnlocked { state.waitsForUnlock.append(continuation) }
                return state.isUnlocked
            }
            if isUnlocked { continuation.resume() }
        }
    }
}

extension PretendDevice.Process {
    var isUnlocked: Bool { device.isUnlocked }

    func write(_ text: String, to name: String) throws {
        try device.operate("write \(name)", life: life) { texts, isUnlocked in
            guard isUnlocked else { throw PretendDevice.Refusal.sealed }
            texts[name] = text
        }
    }

    func read(_ name: String) throws -> String {
        try device.operate("read \(name)", life: life) { texts, isUnlocked in
            guard isUnlocked else { throw PretendDevice.Refusal.sealed }
            guard let text = texts[name] else { throw PretendDevice.Refusal.missing }
            return text
        }
    }

    func list() throws -> [String] {
        try device.operate("list", life: life) { texts, _ in texts.keys.sorted() }
    }

    func remove(_ name: String) throws {
        try device.operate("remove \(name)", life: life) { texts, _ in
            guard texts.removeValue(forKey: name) != nil else {
                throw PretendDevice.Refusal.missing
            }
        }
    }

    /// Returns at the next unlock, or when the life is over.
    func waitForUnlock() async { await device.waitForUnlock() }
}
