internal import DataProtection
public import Foundation

extension SimulatedDevice {
    /// How a device is set up. Each default is an iPhone's.
    public struct Options: Sendable {
        /// What unlocks it. `nil` makes a device that never locks.
        public var passcode: String?
        /// How long the keys stay after `lock()`: Apple's about ten seconds.
        public var grace: Duration
        /// After how long in the locked state it boots by itself, and is before its first unlock:
        /// 72 hours since iOS 18.1. `nil` for never.
        public var idleReboot: Duration?
        /// Whether the tenth wrong passcode in a row erases it, and does not only disable it.
        public var erasesAfterTenWrongPasscodes: Bool
        /// Whether there is Data Protection at all.
        ///
        /// `false` makes a device as Apple's Simulator is, and a plain folder on Linux: every call
        /// succeeds in every state, nothing ever locks, any passcode is right, and no class is
        /// told of any file.
        public var enforcesDataProtection: Bool
        /// The size of its disk, in bytes; `nil` for one that is not filled by accident (16 TiB).
        public var diskByteLimit: Int64?
        /// The date at which its life begins: the first of January 2026, so that every run of a
        /// test has the same times.
        public var startTime: Date

        /// An iPhone with the passcode 1234.
        public init(
            passcode: String? = "1234", grace: Duration = .seconds(10),
            idleReboot: Duration? = .seconds(72 * 3600),
            erasesAfterTenWrongPasscodes: Bool = false, enforcesDataProtection: Bool = true,
            diskByteLimit: Int64? = nil,
            startTime: Date = Date(timeIntervalSince1970: 1_767_225_600)
        ) {
            self.passcode = passcode
            self.grace = grace
            self.idleReboot = idleReboot
            self.erasesAfterTenWrongPasscodes = erasesAfterTenWrongPasscodes
            self.enforcesDataProtection = enforcesDataProtection
            self.diskByteLimit = diskByteLimit
            self.startTime = startTime
        }

        /// Apple's table, or none.
        var accessRules: AccessRules {
            var rules = AccessRules()
            rules.tellsClasses = enforcesDataProtection
            return rules
        }
    }
}
