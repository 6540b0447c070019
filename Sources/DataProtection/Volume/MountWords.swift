/// The words that a mount and the programs in it share.
package enum MountWords {
    /// The extended attribute with the class of a file, or what a folder gives to new children.
    package static let classAttribute = "user.dataprotection.class"
    /// The extended attribute that says whether a file is sealed now: `yes` or `no`.
    package static let sealedAttribute = "user.dataprotection.sealed"
    /// What the names begin with under which files of a class are made in one step.
    package static let creationPrefix = ".dataprotection:"

    /// The name under which a file or folder of a class is made.
    package static func creationName(
        _ name: String, _ protectionClass: ProtectionClass
    ) -> String {
        creationPrefix + "\(protectionClass.name):\(name)"
    }
}
