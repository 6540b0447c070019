// swift-tools-version: 6.3
import PackageDescription

// A package of its own: users of the library never build it. scripts/sqlite-suites.sh puts its
// library under SQLite's own test programs, whose own SQLite it then uses.
let package = Package(
    name: "SQLiteSuites",
    products: [.library(name: "SQLiteSuites", type: .dynamic, targets: ["SQLiteSuites"])],
    dependencies: [.package(name: "swift-data-protection", path: "..")],
    targets: [
        .systemLibrary(name: "CSuiteSQLite", pkgConfig: "sqlite3"),
        .target(
            name: "SQLiteSuites",
            dependencies: [
                "CSuiteSQLite",
                .product(name: "DataProtection", package: "swift-data-protection"),
                .product(name: "ProtectedDatabase", package: "swift-data-protection"),
            ]),
    ],
    swiftLanguageModes: [.v6]
)
