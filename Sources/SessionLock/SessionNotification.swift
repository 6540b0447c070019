/// Tells the person at the desktop something.
package enum SessionNotification {
    /// Shows a notification; where no desktop is there to show one, nothing.
    ///
    /// - Parameters:
    ///   - title: a few words.
    ///   - body: what it is about.
    ///   - place: the bus of the desktop.
    package static func post(_ title: String, body: String, on place: BusPlace = .user) {
        try? BusConnection(place).notify(title, body: body)
    }
}
