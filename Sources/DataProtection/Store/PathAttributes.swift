internal import CLinux
internal import Glibc

/// Extended attributes by a path: of what a process has not open, or cannot open now. A symbolic
/// link at the path's end is followed.
package enum PathAttributes {
    /// A value of at most 256 bytes. The corresponding C function is `getxattr`.
    package static func value(of name: String, at path: String) throws(HostError) -> [UInt8] {
        var bytes = [UInt8](repeating: 0, count: 256)
        let count = try HostSystemCalls.checked("getxattr") {
            unsafe getxattr(path, name, &bytes, bytes.count)
        }
        return Array(bytes[..<count])
    }

    /// The corresponding C function is `setxattr`.
    package static func set(
        _ name: String, to value: [UInt8], at path: String
    ) throws(HostError) {
        _ = try HostSystemCalls.checked("setxattr") {
            unsafe setxattr(path, name, value, value.count, 0)
        }
    }

    /// The corresponding C function is `removexattr`.
    package static func remove(_ name: String, at path: String) throws(HostError) {
        _ = try HostSystemCalls.checked("removexattr") { unsafe removexattr(path, name) }
    }
}
