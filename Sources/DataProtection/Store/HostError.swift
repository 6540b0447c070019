/// A host call that failed: which call, and its error number.
package struct HostError: Error, Hashable, Sendable {
    /// The error number, as in `errno(3)`.
    package var code: Int32
    /// The C function that failed.
    package var call: String

    /// Records a failed call.
    package init(code: Int32, call: String) {
        self.code = code
        self.call = call
    }
}

extension HostError: CustomStringConvertible {
    package var description: String { "\(call): error \(code)" }
}
