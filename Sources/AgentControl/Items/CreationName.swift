public import DataProtection

/// The reserved name under which a file or folder is made with a class, in one step.
///
/// A program that makes `.dataprotection:complete:note.txt` in a mounted volume gets `note.txt` of
/// that class: there is never a moment in which the file has another. Nothing is ever found under
/// such a name.
public enum CreationName {
    /// The name to make.
    ///
    /// - Parameters:
    ///   - name: the name that the file will have.
    ///   - protectionClass: its class.
    /// - Returns: a name, no path.
    public static func name(
        making name: String, class protectionClass: ProtectionClass
    ) -> String {
        MountWords.creationName(name, protectionClass)
    }

    /// The path to make.
    static func path(making path: String, class protectionClass: ProtectionClass) -> String {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/"))
        let folder = slash.map { String(path[...$0]) } ?? ""
        let last = slash.map { String(path[path.utf8.index(after: $0)...]) } ?? path
        return folder + name(making: last, class: protectionClass)
    }
}
