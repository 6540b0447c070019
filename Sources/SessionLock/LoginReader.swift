internal import Glibc

/// logind and UPower, on the system bus.
final class LoginReader: BusReader {
    private static let login = "org.freedesktop.login1"
    private static let loginPath = "/org/freedesktop/login1"
    private static let power = "org.freedesktop.UPower"
    private static let properties = "org.freedesktop.DBus.Properties"
    private static let noBus = "there is no system bus"

    private(set) var problems: [SessionSource: String?] = [
        .login: noBus, .sleep: noBus, .lid: noBus,
    ]
    private let place: BusPlace
    private let handler: @Sendable (SessionEvent) -> Void
    private var bus: BusConnection?
    /// Holds sleep up; -1 without one.
    private var inhibitor: Int32 = -1
    /// What was told last, so that Lock and LockedHint count once.
    private var isLocked = false

    init(_ place: BusPlace, _ handler: @escaping @Sendable (SessionEvent) -> Void) {
        self.place = place
        self.handler = handler
    }

    deinit { releaseInhibitor() }

    var wanted: pollfd? { bus?.wanted }

    var isComplete: Bool { problems[.login] == .some(nil) && inhibitor >= 0 }

    func connectIfNeeded() {
        if bus == nil { connect() }
        guard let bus else { return }
        if problems[.login] != .some(nil) { askLogin(bus) }
        if inhibitor < 0 { takeInhibitor(bus) }
        if problems[.lid] != .some(nil) { askLid(bus) }
    }

    private func connect() {
        guard let bus = try? BusConnection(place) else { return }
        let rules = [
            "interface='\(Self.login).Session',member='Lock'",
            "interface='\(Self.login).Session',member='Unlock'",
            "interface='\(Self.login).Manager',member='PrepareForSleep'",
            "interface='\(Self.properties)',member='PropertiesChanged',"
                + "path_namespace='\(Self.loginPath)/session'",
        ].map { "type='signal',sender='\(Self.login)',\($0)" }
        let lid =
            "type='signal',sender='\(Self.power)',interface='\(Self.properties)',"
            + "member='PropertiesChanged',path='/org/freedesktop/UPower'"
        guard (try? (rules + [lid]).forEach { try bus.addMatch($0) }) != nil else { return }
        self.bus = bus
    }

    /// Looks whether a session is locked already: its signal is past.
    private func askLogin(_ bus: BusConnection) {
        let missing = "logind does not answer on the system bus"
        guard
            let sessions = try? bus.call(
                Self.login, Self.loginPath, "\(Self.login).Manager", "ListSessions"),
            sessions.enter("a", "(susso)")
        else { return problems[.login] = missing }
        problems[.login] = .some(nil)
        var paths: [String] = []
        while sessions.enter("r", "susso") {
            sessions.skip()
            let isMine = sessions.number() == WatchCalls.user
            for _ in 0..<2 { sessions.skip() }
            if let path = sessions.text("o"), isMine { paths.append(path) }
            sessions.leave()
        }
        for path in paths where lockedHint(path, bus) == true { tell(locked: true) }
    }

    private func lockedHint(_ path: String, _ bus: BusConnection) -> Bool? {
        let reply = try? bus.call(
            Self.login, path, Self.properties, "Get", "\(Self.login).Session", "LockedHint")
        guard let reply, reply.enter("v", "b") else { return nil }
        return reply.bool()
    }

    private func takeInhibitor(_ bus: BusConnection) {
        let reply = try? bus.call(
            Self.login, Self.loginPath, "\(Self.login).Manager", "Inhibit", "sleep", "seal",
            "Protected files are sealed first", "delay")
        guard let number = reply?.descriptor() else {
            return problems[.sleep] = "logind lets nothing hold sleep up"
        }
        inhibitor = number
        problems[.sleep] = .some(nil)
    }

    private func releaseInhibitor() {
        if inhibitor >= 0 { WatchCalls.close(inhibitor) }
        inhibitor = -1
    }

    private func askLid(_ bus: BusConnection) {
        func get(_ name: String) -> Bool? {
            let reply = try? bus.call(
                Self.power, "/org/freedesktop/UPower", Self.properties, "Get", Self.power, name)
            guard let reply, reply.enter("v", "b") else { return nil }
            return reply.bool()
        }
        problems[.lid] =
            switch get("LidIsPresent") {
            case true: .some(nil)
            case false: "this machine has no lid"
            case nil: "UPower does not answer on the system bus"
            }
    }

    func read() {
        guard let bus else { return }
        do throws(BusFailure) {
            while let message = try bus.next() { hear(message, bus) }
        } catch {
            // What is not watched is said, and tried again.
            self.bus = nil
            releaseInhibitor()
            problems = [.login: Self.noBus, .sleep: Self.noBus, .lid: Self.noBus]
        }
    }

    private func hear(_ message: BusMessage, _ bus: BusConnection) {
        // Other users may send us signals of any name; one of them must not take a lock back.
        let isLid = message.path == "/org/freedesktop/UPower"
        let owner = try? bus.call(
            "org.freedesktop.DBus", "/", "org.freedesktop.DBus", "GetNameOwner",
            isLid ? Self.power : Self.login)
        guard owner?.text() == message.sender else { return }
        switch message.member {
        case "Lock" where isMine(message.path, bus): tell(locked: true)
        case "Unlock" where isMine(message.path, bus): tell(locked: false)
        case "PrepareForSleep": message.bool().map { prepareForSleep($0, bus) }
        case "PropertiesChanged": hearProperties(message, bus)
        default: break
        }
    }

    private func prepareForSleep(_ isBeginning: Bool, _ bus: BusConnection) {
        handler(isBeginning ? .willSleep : .didWake)
        releaseInhibitor()
        if !isBeginning { takeInhibitor(bus) }
    }

    private func hearProperties(_ message: BusMessage, _ bus: BusConnection) {
        let interface = message.text()
        let wanted = interface == Self.power ? "LidIsClosed" : "LockedHint"
        var value: Bool?
        guard message.enter("a", "{sv}") else { return }
        while message.enter("e", "sv") {
            if message.text() == wanted, message.enter("v", "b") {
                value = message.bool()
                message.leave()
            }
            message.leave()
        }
        guard let value else { return }
        if interface == Self.power {
            handler(value ? .lidClosed : .lidOpened)
        } else if interface == "\(Self.login).Session", isMine(message.path, bus) {
            tell(locked: value)
        }
    }

    /// Whether a session is this user's. One of which that cannot be found out counts as such: to
    /// lock too often does no harm.
    private func isMine(_ path: String, _ bus: BusConnection) -> Bool {
        let reply = try? bus.call(
            Self.login, path, Self.properties, "Get", "\(Self.login).Session", "User")
        guard let reply, reply.enter("v", "(uo)"), reply.enter("r", "uo") else { return true }
        return reply.number() == WatchCalls.user
    }

    private func tell(locked: Bool) {
        // An unlock is told once; a lock each time, because it may follow an unlock of the volume.
        guard locked || isLocked else { return }
        isLocked = locked
        handler(locked ? .screenLocked : .screenUnlocked)
    }
}
