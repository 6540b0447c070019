// The sentences about what a copy of a volume lacks, and what a synchronising program did to it.

/// What became of a folder's record, the symbolic link `.folder`.
package enum FolderLoss: Sendable, Hashable {
    /// There is nothing of that name.
    case missing
    /// It is here as a file of this name.
    case storedAsFile(String)
    /// It is not the one that was written.
    case damaged
}

extension ProtectionError {
    /// A folder's record is gone, and with it the names in the folder.
    package static func lostNames(_ loss: FolderLoss) -> ProtectionError {
        let readable = "what is in the folder can be read and removed under the names that ls shows"
        return switch loss {
        case .missing:
            damaged(
                "the symbolic link .folder is missing, so the names in the folder are lost",
                remedy: "copy the volume again with its symbolic links (cp -a, rsync -a, "
                    + "rclone --links); \(readable)")
        case .storedAsFile(let name):
            damaged(
                "\(name) is a file and no symbolic link, so the names in the folder are lost",
                remedy: "copy the volume again with its symbolic links, on this way too "
                    + "(rclone --links); \(readable)")
        case .damaged:
            damaged(
                "the symbolic link .folder is damaged, so the names in the folder are lost",
                remedy: "put .folder back from a backup; \(readable)")
        }
    }

    /// Neither copy of the keybag is there, beside ciphertext.
    package static var keybagMissing: ProtectionError {
        damaged(
            "both copies of the keybag are missing",
            remedy: "copy .keybag-1 or .keybag-2 here from the original or a backup (hidden files "
                + "belong to a volume); without one nothing can be read")
    }

    /// No copy of the keybag can be read.
    ///
    /// - Parameter faults: what is wrong with each.
    package static func keybagLost(_ faults: [String]) -> ProtectionError {
        damaged(
            "no copy of the keybag is whole: \(faults.joined(separator: ", "))",
            remedy: "put .keybag-1 or .keybag-2 back from a backup; without one nothing can be read"
        )
    }

    /// A new volume was to be made where files of another one lie.
    package static var ciphertextWithoutKeybag: ProtectionError {
        ProtectionError(
            .exists, "files of a volume are in the folder, without its keybag",
            remedy: "to open it, copy .keybag-1 or .keybag-2 here from the original or a backup; "
                + "for a new one, give a new or an empty folder")
    }

    /// Only the link that holds a long name is there.
    package static var nameWithoutFile: ProtectionError {
        damaged(
            "only its long name is here, the file or folder itself is missing",
            remedy: "copy it again from the original, or remove the name: seal rm")
    }

    /// A symbolic link that rclone stored as a file, and did not make a link again.
    package static var storedLink: ProtectionError {
        damaged(
            "it is a symbolic link that was stored as a file",
            remedy: "copy the volume again with its symbolic links, on this way too "
                + "(rclone --links)")
    }

    /// A host file that a synchronising program made of another.
    ///
    /// - Parameter name: the name of that one.
    package static func conflictCopy(of name: String) -> ProtectionError {
        damaged(
            "it is a second copy of '\(name)', such as synchronising programs make",
            remedy: "read it under the name shown, compare the two, then remove it")
    }
}
