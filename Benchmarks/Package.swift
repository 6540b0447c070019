// swift-tools-version: 6.3
import PackageDescription

// A package of its own: users of the library never build it.
let package = Package(
    name: "Benchmarks",
    dependencies: [.package(name: "swift-data-protection", path: "..")],
    targets: [
        // What libcrypto alone does, in C: the measure of the library's own cost.
        .target(
            name: "CBaseline", cSettings: [.unsafeFlags(["-O2"])],
            linkerSettings: [.linkedLibrary("crypto"), .linkedLibrary("sodium")]),
        .systemLibrary(name: "CBenchSQLite", pkgConfig: "sqlite3"),
        .executableTarget(
            name: "bench",
            dependencies: [
                "CBaseline", "CBenchSQLite",
                .product(name: "DataProtection", package: "swift-data-protection"),
                .product(name: "ProtectedDatabase", package: "swift-data-protection"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
