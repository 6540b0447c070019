import Glibc

/// A system call on something outside the volume failed.
struct HostFailure: Error {
    /// The error number, as in `errno(3)`.
    let code: Int32
    /// The file or folder; empty when there is none.
    let place: String

    /// The failure of the call that was just made.
    static func last(_ place: String) -> HostFailure { HostFailure(code: errno, place: place) }

    /// The sentence that the C library has for it, after the place.
    var message: String {
        // Only a standard stream that was closed from the start gives EBADF.
        if code == EBADF { return "\(place): it is closed" }
        let reason = ProcessCalls.sentence(for: code)
        let sentence = reason.prefix(1).lowercased() + reason.dropFirst()
        return place.isEmpty ? sentence : "\(place): \(sentence)"
    }
}
