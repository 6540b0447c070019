internal import Dispatch
package import Foundation
internal import Synchronization

/// Posts notifications from any thread, without ever waiting for a queue that waits for it.
package enum NotificationLine {
    private struct Line {
        let queue = DispatchQueue(label: "ProtectedDataNotifications")
        var waitingCount = 0
    }

    /// For each object, what is still to be posted: in order, and never on a thread that an
    /// observer's queue may be waiting for.
    private static let lines = Mutex<[ObjectIdentifier: Line]>([:])
    private static let longestWait = DispatchTimeInterval.seconds(2)

    /// Posts a notification without user information on the default center.
    ///
    /// - Parameters:
    ///   - name: its name.
    ///   - object: its object; what is posted for one object comes in order.
    ///   - waits: whether to wait for the observers, two seconds at most.
    package static func post(
        _ name: Notification.Name, _ object: some AnyObject & Sendable, waits: Bool
    ) {
        // Foundation runs an observer of the main queue at once on the main thread. Elsewhere it
        // hands it over and waits, on the main actor of a program without a main thread for ever.
        if Thread.isMainThread {
            return NotificationCenter.default.post(name: name, object: object)
        }
        let isPosted = DispatchSemaphore(value: 0)
        let key = ObjectIdentifier(object)
        let queue = lines.withLock { lines in
            lines[key, default: Line()].waitingCount += 1
            return lines[key]!.queue
        }
        queue.async {
            NotificationCenter.default.post(name: name, object: object)
            isPosted.signal()
            lines.withLock { lines in
                lines[key]!.waitingCount -= 1
                if lines[key]!.waitingCount == 0 { lines[key] = nil }
            }
        }
        if waits { _ = isPosted.wait(timeout: .now() + longestWait) }
    }
}
