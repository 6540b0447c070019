internal import CSystemd
internal import Glibc

/// A message that was received. What is read moves a place on; what is not there reads as `nil`.
@safe
final class BusMessage {
    private let message: OpaquePointer

    /// Takes over a message.
    @unsafe
    init(owning message: OpaquePointer) { unsafe self.message = message }

    deinit { unsafe sd_bus_message_unref(message) }

    /// The object it is about.
    var path: String { unsafe Self.text(sd_bus_message_get_path(message)) }
    /// The interface of its method or signal.
    var interface: String { unsafe Self.text(sd_bus_message_get_interface(message)) }
    /// The name of its method or signal.
    var member: String { unsafe Self.text(sd_bus_message_get_member(message)) }

    /// Who sent it, as the bus itself says.
    var sender: String { unsafe Self.text(sd_bus_message_get_sender(message)) }

    /// Reads a text, or the path of an object.
    func text(_ type: Character = "s") -> String? {
        var text: UnsafePointer<CChar>?
        guard unsafe sd_bus_message_read_basic(message, Self.code(type), &text) > 0 else {
            return nil
        }
        return unsafe Self.text(text)
    }

    /// Reads a truth.
    func bool() -> Bool? {
        var value: Int32 = 0
        guard unsafe sd_bus_message_read_basic(message, Self.code("b"), &value) > 0 else {
            return nil
        }
        return value != 0
    }

    /// Reads a number without sign, of 32 bits.
    func number() -> UInt32? {
        var value: UInt32 = 0
        guard unsafe sd_bus_message_read_basic(message, Self.code("u"), &value) > 0 else {
            return nil
        }
        return value
    }

    /// Reads a descriptor, as one of the caller's own that outlives the message.
    func descriptor() -> Int32? {
        var value: Int32 = -1
        guard unsafe sd_bus_message_read_basic(message, Self.code("h"), &value) > 0 else {
            return nil
        }
        let own = fcntl(value, F_DUPFD_CLOEXEC, 3)
        return own < 0 ? nil : own
    }

    /// Goes into an array (`a`), a pair (`e`), a structure (`r`) or a variant (`v`).
    ///
    /// - Returns: whether there was one.
    func enter(_ type: Character, _ contents: String) -> Bool {
        unsafe sd_bus_message_enter_container(message, Self.code(type), contents) > 0
    }

    /// Leaves it; what was not read of it is passed over.
    func leave() {
        // It is left only at its end.
        while unsafe sd_bus_message_at_end(message, 0) == 0,
            unsafe sd_bus_message_skip(message, nil) > 0
        {}
        unsafe sd_bus_message_exit_container(message)
    }

    /// Passes over the next thing.
    func skip() { unsafe sd_bus_message_skip(message, nil) }

    private static func code(_ type: Character) -> CChar { CChar(type.asciiValue!) }

    @unsafe
    private static func text(_ pointer: UnsafePointer<CChar>?) -> String {
        guard let pointer = unsafe pointer else { return "" }
        return unsafe String(cString: pointer)
    }
}
