private import CSodium

/// libsodium as a whole.
enum Libsodium {
    /// Initialises the library: the first call chooses the implementations for this processor.
    ///
    /// See `sodium_init(3)`; later calls cost one load.
    static func initialize() {
        _ = initialized
    }

    private static let initialized: Void = {
        guard sodium_init() >= 0 else {
            fatalError("libsodium could not reach the kernel's random generator")
        }
    }()
}
