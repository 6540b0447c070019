internal import CSystemd
internal import Glibc

/// A call to D-Bus failed.
struct BusFailure: Error {
    /// The error number, positive, as in `errno(3)`.
    let code: Int32
}

/// Which bus is meant.
package enum BusPlace: Sendable, Hashable {
    /// The machine's, where logind is.
    case system
    /// The user's, where desktops are.
    case user
    /// One at an address, as `unix:path=/run/bus`.
    case address(String)
}

/// A connection to a bus, for one thread.
@safe
final class BusConnection {
    private let bus: OpaquePointer

    /// Connects. See `sd_bus_open_system(3)`, `sd_bus_set_address(3)`.
    init(_ place: BusPlace) throws(BusFailure) {
        var opened: OpaquePointer?
        switch place {
        case .system: try Self.check(unsafe sd_bus_open_system(&opened))
        case .user: try Self.check(unsafe sd_bus_open_user(&opened))
        case .address(let address):
            try Self.check(unsafe sd_bus_new(&opened))
            do throws(BusFailure) {
                try Self.check(unsafe sd_bus_set_address(opened, address))
                try Self.check(unsafe sd_bus_set_bus_client(opened, 1))
                try Self.check(unsafe sd_bus_start(opened))
            } catch {
                unsafe sd_bus_close_unref(opened)
                throw error
            }
        }
        guard let opened = unsafe opened else { throw BusFailure(code: ENOTCONN) }
        unsafe bus = opened
        // A service that hangs must not keep a lock from another source waiting for long.
        unsafe sd_bus_set_method_call_timeout(bus, 2_000_000)
    }

    deinit { unsafe sd_bus_flush_close_unref(bus) }

    /// Has signals delivered that match a rule; `next()` hands them out. The corresponding method
    /// is `org.freedesktop.DBus.AddMatch`.
    func addMatch(_ rule: String) throws(BusFailure) {
        _ = try call("org.freedesktop.DBus", "/", "org.freedesktop.DBus", "AddMatch", rule)
    }

    /// Calls a method whose arguments are texts, and waits two seconds at most.
    func call(
        _ destination: String, _ path: String, _ interface: String, _ member: String,
        _ words: String...
    ) throws(BusFailure) -> BusMessage {
        var created: OpaquePointer?
        try Self.check(
            unsafe sd_bus_message_new_method_call(
                bus, &created, destination, path, interface, member))
        defer { unsafe sd_bus_message_unref(created) }
        for word in words {
            try Self.check(
                unsafe sd_bus_message_append_basic(created, Self.code("s"), word))
        }
        var reply: OpaquePointer?
        try Self.check(unsafe sd_bus_call(bus, created, 0, nil, &reply))
        guard let reply = unsafe reply else { throw BusFailure(code: EBADMSG) }
        return unsafe BusMessage(owning: reply)
    }

    /// Shows a notification. The corresponding method is `org.freedesktop.Notifications.Notify`.
    func notify(_ title: String, body: String) throws(BusFailure) {
        var created: OpaquePointer?
        let name = "org.freedesktop.Notifications"
        try Self.check(
            unsafe sd_bus_message_new_method_call(
                bus, &created, name, "/org/freedesktop/Notifications", name, "Notify"))
        defer { unsafe sd_bus_message_unref(created) }
        var replaced: UInt32 = 0
        var milliseconds: Int32 = -1  // as the desktop likes
        let (text, number, whole) = (Self.code("s"), Self.code("u"), Self.code("i"))
        try Self.check(unsafe sd_bus_message_append_basic(created, text, "seal"))
        try Self.check(unsafe sd_bus_message_append_basic(created, number, &replaced))
        for word in ["security-high", title, body] {
            try Self.check(unsafe sd_bus_message_append_basic(created, text, word))
        }
        for contents in ["s", "{sv}"] {
            try Self.check(
                unsafe sd_bus_message_open_container(created, Self.code("a"), contents))
            try Self.check(unsafe sd_bus_message_close_container(created))
        }
        try Self.check(unsafe sd_bus_message_append_basic(created, whole, &milliseconds))
        try Self.check(unsafe sd_bus_call(bus, created, 0, nil, nil))
    }

    private static func code(_ type: Character) -> CChar { CChar(type.asciiValue!) }

    /// What has arrived and is not handed out yet.
    ///
    /// - Returns: `nil` when there is nothing.
    /// - Throws: when the connection has ended.
    func next() throws(BusFailure) -> BusMessage? {
        while true {
            var message: OpaquePointer?
            guard try Self.check(unsafe sd_bus_process(bus, &message)) > 0 else { return nil }
            if let message = unsafe message { return unsafe BusMessage(owning: message) }
        }
    }

    /// What to wait for. See `sd_bus_get_fd(3)`.
    var wanted: pollfd {
        pollfd(
            fd: unsafe sd_bus_get_fd(bus), events: Int16(unsafe sd_bus_get_events(bus)), revents: 0)
    }

    @discardableResult
    private static func check(_ result: Int32) throws(BusFailure) -> Int32 {
        guard result >= 0 else { throw BusFailure(code: -result) }
        return result
    }
}
