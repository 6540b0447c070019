import Foundation
import TestSupport

@_silgen_name("setfsuid") private func setfsuid(_ user: UInt32) -> Int32

/// Calls with the rights of an ordinary user.
enum OrdinaryUser {
    /// Makes calls as a user who is not root. See: 'man 2 setfsuid': it concerns this thread alone.
    static func run<Result>(_ body: () throws -> Result) rethrows -> Result {
        guard geteuid() == 0 else { return try body() }
        _ = setfsuid(65534)
        defer { _ = setfsuid(0) }
        return try body()
    }

    /// Whether this process may make devices: root may, except in most containers.
    static let canMakeDevices: Bool = {
        guard let folder = try? ScratchFolder() else { return false }
        return mknod(folder.path(of: "d"), S_IFBLK | 0o600, 0xF307) == 0
    }()
}
