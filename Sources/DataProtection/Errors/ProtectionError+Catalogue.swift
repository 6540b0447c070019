// Every sentence the engine can say, with its remedy. One function for each thing that can happen.

extension ProtectionError {
    /// The key of a class is not available.
    package static func sealed(
        _ protectionClass: ProtectionClass, _ state: LockState, creating: Bool = false
    ) -> ProtectionError {
        let action = creating ? "cannot be created" : "cannot be opened"
        let when = state == .beforeFirstUnlock ? "before the first unlock" : "while locked"
        let remedy =
            creating
            ? "unlock with the passcode, or choose completeUnlessOpen, which can always be created"
            : "unlock with the passcode"
        return ProtectionError(
            .sealed, "a file of class \(protectionClass.name) \(action) \(when)", remedy: remedy)
    }

    /// The class that a file is to have cannot be made.
    package static func sealedChange(
        to protectionClass: ProtectionClass, _ state: LockState
    ) -> ProtectionError {
        let when = state == .beforeFirstUnlock ? "before the first unlock" : "while locked"
        return ProtectionError(
            .sealed, "a file cannot be given class \(protectionClass.name) \(when)",
            remedy: "unlock with the passcode")
    }

    /// The names themselves are not readable yet.
    package static var namesSealed: ProtectionError {
        ProtectionError(
            .sealed, "this volume's names are private until the first unlock",
            remedy: "unlock with the passcode")
    }

    /// No slot opened with this passcode.
    package static var wrongPasscode: ProtectionError {
        ProtectionError(.wrongPasscode, "wrong passcode", remedy: "try again")
    }

    /// No slot opened with this recovery key.
    package static var wrongRecoveryKey: ProtectionError {
        ProtectionError(
            .wrongPasscode, "this recovery key does not belong to this volume",
            remedy: "look for the key that was shown when the volume's recovery key was last made")
    }

    /// The recovery key's check characters are wrong.
    package static var mistypedRecoveryKey: ProtectionError {
        ProtectionError(
            .wrongPasscode, "the recovery key is mistyped",
            remedy: "compare its nine groups of four characters with what you wrote down")
    }

    /// A delay after wrong passcodes is running.
    package static func throttled(secondsLeft: Int64) -> ProtectionError {
        ProtectionError(
            .throttled, "too many wrong passcodes", remedy: "try again in \(secondsLeft) seconds")
    }

    /// Ten wrong passcodes.
    package static var disabled: ProtectionError {
        ProtectionError(
            .throttled, "ten wrong passcodes in a row: the passcode is disabled",
            remedy: "open the volume with its recovery key")
    }

    /// The passcode is empty or too long.
    package static var unusablePasscode: ProtectionError {
        ProtectionError(
            .invalidArgument, "a passcode has 1 to 1024 bytes of UTF-8",
            remedy: "choose another, or make the volume with --no-passcode")
    }

    /// Something on disk does not verify.
    package static func damaged(_ what: String, remedy: String = "") -> ProtectionError {
        ProtectionError(
            .damaged, what,
            remedy: remedy.isEmpty ? "restore it from a backup; it can still be removed" : remedy)
    }

    /// There is no keybag, and no ciphertext either.
    package static var notAVolume: ProtectionError {
        ProtectionError(
            .notAVolume, "not a volume: it holds no keybag",
            remedy: "give the folder that seal init made")
    }

    /// A later version made it.
    package static func newerFormat(_ version: UInt32) -> ProtectionError {
        ProtectionError(
            .newerFormat, "the volume has format \(version), this program knows format 1",
            remedy: "install a newer version")
    }

    /// No device key file.
    package static func deviceKeyMissing(_ path: String) -> ProtectionError {
        ProtectionError(
            .deviceKey, "there is no device key at \(path)",
            remedy: "name it with --device-key, or use the recovery key")
    }

    /// A device key file of another machine or volume.
    package static var deviceKeyOfAnother: ProtectionError {
        ProtectionError(
            .deviceKey, "this device key does not belong to this volume",
            remedy: "name the right one with --device-key, or use the recovery key")
    }

    /// Something that needs the device key, on a volume that was opened with the recovery key.
    package static var openedWithoutDeviceKey: ProtectionError {
        ProtectionError(
            .deviceKey, "the volume was opened with its recovery key, without a device key",
            remedy: "bind it to this machine first: seal recovery VOLUME restore")
    }

    /// A device key file that is not one, or was cut.
    package static func deviceKeyDamaged(_ path: String) -> ProtectionError {
        ProtectionError(
            .damaged, "what is at \(path) is no device key, or a damaged one",
            remedy: "restore that file from a backup, or use the recovery key")
    }

    /// Somebody else has the volume.
    package static func busy(owner: Int32?) -> ProtectionError {
        let who = owner.map { "process \($0)" } ?? "another process"
        return ProtectionError(
            .busy, "\(who) has this volume open", remedy: "close it there first")
    }

    /// No such entry.
    package static var missing: ProtectionError {
        ProtectionError(.missing, "no such file or folder")
    }

    /// The name is taken.
    package static var exists: ProtectionError {
        ProtectionError(.exists, "the name is taken", remedy: "choose another, or remove it first")
    }

    /// A folder has entries.
    package static var notEmpty: ProtectionError {
        ProtectionError(.notEmpty, "the folder is not empty", remedy: "remove what is in it first")
    }

    /// A file was expected.
    package static var isFolder: ProtectionError { ProtectionError(.isFolder, "it is a folder") }

    /// A folder was expected.
    package static var notFolder: ProtectionError {
        ProtectionError(.notFolder, "it is not a folder")
    }

    /// A name that no file can have.
    package static func invalidName(_ why: String, isTooLong: Bool = false) -> ProtectionError {
        ProtectionError(
            .invalidName, "not a usable name: \(why)",
            remedy: "a name has 1 to 255 bytes, no slash, and is not . or ..",
            errorNumber: isTooLong ? 36 : nil)  // ENAMETOOLONG
    }

    /// An argument outside its range.
    package static func invalidArgument(_ what: String, remedy: String = "") -> ProtectionError {
        ProtectionError(.invalidArgument, what, remedy: remedy)
    }

    /// The handle was opened for something else.
    package static func wrongAccess(writing: Bool) -> ProtectionError {
        ProtectionError(
            .wrongAccess, "the file was not opened for \(writing ? "writing" : "reading")")
    }

    /// The folder for a new volume holds something.
    package static var folderNotEmpty: ProtectionError {
        ProtectionError(
            .exists, "the folder is not empty", remedy: "give a new or an empty folder")
    }

    /// The folder for a new volume is one already.
    package static var alreadyAVolume: ProtectionError {
        ProtectionError(
            .exists, "there is a volume already", remedy: "use it, or give another folder")
    }

    /// Pages would not be written whole.
    package static func smallBlocks(_ byteCount: Int) -> ProtectionError {
        ProtectionError(
            .unsuitableHost,
            "the host file system has blocks of \(byteCount) bytes: a power cut could tear a page",
            remedy: "use a file system with blocks of 4096 bytes")
    }

    /// RLIMIT_MEMLOCK is used up.
    package static var keyMemory: ProtectionError {
        ProtectionError(
            .keyMemory, "no more memory can be locked for keys",
            remedy: "close some files, or raise the limit (ulimit -l)")
    }

    /// A file that is to be read as text is none.
    package static var noText: ProtectionError {
        ProtectionError(
            .invalidArgument, "the file is no text in this encoding",
            remedy: "name another encoding, or read it as data")
    }

    /// A text that is to be written cannot be.
    package static var noEncoding: ProtectionError {
        ProtectionError(
            .invalidArgument, "this encoding does not have every character of the text",
            remedy: "name another, as UTF-8")
    }

    /// This error where it came in the middle of overwriting a file: nobody may read that the old
    /// content is untouched.
    package var whileOverwriting: ProtectionError {
        ProtectionError(
            code, message,
            remedy: code == .noSpace
                ? "make room, and write the file again: its old content is gone" : remedy,
            place: place, errorNumber: errorNumber)
    }

    /// The handle was closed.
    package static var closedFile: ProtectionError {
        ProtectionError(.closed, "the file is closed", remedy: "open it again")
    }

    /// The volume object was closed.
    package static var closed: ProtectionError {
        ProtectionError(.closed, "the volume is closed", remedy: "open it again")
    }
}
