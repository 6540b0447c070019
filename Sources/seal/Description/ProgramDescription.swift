import DataProtection

/// The program, described once for the help text and the manual page.
enum ProgramDescription {
    /// What it is called.
    static let name = "seal"
    /// One line.
    static let summary = "encrypted volumes whose files have protection classes"
    /// What it is.
    static let text = """
        An encrypted volume in a folder. Each file has a protection class that decides
        when its key exists.
        """

    /// The classes, and when a file of each can be read.
    static let classes = ProtectionClass.allCases.map { each in
        (
            "\(each.name) (\(each.letter))",
            "The key exists \(ClassAdvice(each, hasPasscode: true).keyExists)."
        )
    }

    /// What the program reads of its environment.
    static let environment = [
        ("SEAL_DEVICE_KEY", "The device key, where --device-key is not given."),
        ("XDG_DATA_HOME", "The folder in which seal/device.key is the device key."),
        ("HOME", "The folder in which .local/share/seal/device.key is the device key."),
        ("TMPDIR", "Where 'seal demo' makes its volume."),
        ("NO_COLOR", "When it is set, nothing has a colour."),
    ]

    /// The files that belong to it.
    static let files = [
        (
            "VOLUME",
            "A folder with .keybag-1, .keybag-2, .marker, .lock, and in each folder a link "
                + ".folder. A copy needs all but .lock, and the symbolic links as such."
        ),
        (
            "~/.local/share/seal/device.key",
            "The device key: one for all volumes of a person on a machine, outside every volume."
        ),
    ]
}
