internal import Glibc

/// The desktops' screen savers, on the user's bus.
final class DesktopReader: BusReader {
    /// Each has the same signal.
    private static let names = ["freedesktop", "gnome", "cinnamon", "mate", "xfce"]
        .map { "org.\($0).ScreenSaver" }
    private static let noBus = "there is no session bus"

    private(set) var problems: [SessionSource: String?] = [.screenSaver: noBus]
    private let place: BusPlace
    private let handler: @Sendable (SessionEvent) -> Void
    private var bus: BusConnection?
    private var isActive = false

    init(_ place: BusPlace, _ handler: @escaping @Sendable (SessionEvent) -> Void) {
        self.place = place
        self.handler = handler
    }

    var wanted: pollfd? { bus?.wanted }

    /// A screen saver that comes later says so.
    var isComplete: Bool { bus != nil }

    func connectIfNeeded() {
        guard bus == nil else { return }
        connect()
        if let bus { lookForSaver(bus) }
    }

    private func lookForSaver(_ bus: BusConnection) {
        let isThere = Self.names.contains { name in
            let reply = try? bus.call(
                "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "NameHasOwner", name)
            return reply?.bool() == true
        }
        problems[.screenSaver] = isThere ? .some(nil) : "no screen saver is on the session bus"
    }

    private func connect() {
        guard let bus = try? BusConnection(place) else { return }
        let isDone: ()? = try? Self.names.forEach { name in
            try bus.addMatch("type='signal',interface='\(name)',member='ActiveChanged'")
            try bus.addMatch(
                "type='signal',sender='org.freedesktop.DBus',member='NameOwnerChanged',"
                    + "arg0='\(name)'")
        }
        if isDone != nil { self.bus = bus }
    }

    func read() {
        guard let bus else { return }
        do throws(BusFailure) {
            while let message = try bus.next() {
                if message.member == "NameOwnerChanged" { lookForSaver(bus) }
                guard message.member == "ActiveChanged", let now = message.bool() else { continue }
                // Two names of one screen saver tell the same.
                guard now || isActive else { continue }
                isActive = now
                handler(now ? .screenLocked : .screenUnlocked)
            }
        } catch {
            self.bus = nil
            problems = [.screenSaver: Self.noBus]
        }
    }
}
