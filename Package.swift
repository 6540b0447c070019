// swift-tools-version: 6.3
import PackageDescription

/// Every Swift target: unsafe code is marked, warnings are errors, imports are private unless they say so.
let strict: [SwiftSetting] = [
    .strictMemorySafety(),
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    .enableUpcomingFeature("MemberImportVisibility"),
    .enableExperimentalFeature("Lifetimes"),  // spans returned from our own types
]

let package = Package(
    name: "swift-data-protection",
    products: [
        .library(name: "DataProtection", targets: ["DataProtection"]),
        .library(name: "ProtectedDataNotifications", targets: ["ProtectedDataNotifications"]),
        .library(name: "SimulatedDevice", targets: ["SimulatedDevice"]),
        .library(name: "ProtectedDatabase", targets: ["ProtectedDatabase"]),
        .executable(name: "seal", targets: ["seal"]),
    ],
    targets: [
        // C libraries: headers and module maps, no logic.
        .systemLibrary(
            name: "CCrypto", path: "Sources/CLibraries/CCrypto",
            pkgConfig: "libcrypto", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CSodium", path: "Sources/CLibraries/CSodium",
            pkgConfig: "libsodium", providers: [.apt(["libsodium-dev"])]),
        .systemLibrary(
            name: "CSQLite", path: "Sources/CLibraries/CSQLite",
            pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(name: "CLinux", path: "Sources/CLibraries/CLinux"),

        // The library.
        .target(name: "Cryptography", dependencies: ["CCrypto", "CSodium"], swiftSettings: strict),
        .target(
            name: "DataProtection", dependencies: ["CLinux", "Cryptography"], swiftSettings: strict),

        // SQLite over a volume: its files, locks and shared memory.
        .target(
            name: "ProtectedDatabase", dependencies: ["CSQLite", "DataProtection"],
            swiftSettings: strict),

        // All of Foundation costs a program 3.4 ms at its start, so what needs it stands alone.
        .target(
            name: "ProtectedDataNotifications", dependencies: ["DataProtection"],
            swiftSettings: strict),

        // The engine's seams, simulated: a device with its clock, power cuts, full disks.
        .target(
            name: "SimulatedDevice",
            dependencies: ["DataProtection", "ProtectedDataNotifications"],
            swiftSettings: strict),

        // The command.
        .executableTarget(name: "seal", dependencies: ["DataProtection"], swiftSettings: strict),

        // Tests: not strict about memory, because test macros expand into code we do not write.
        .target(name: "TestSupport", dependencies: ["DataProtection"], path: "Tests/TestSupport"),
        // What libFuzzer feeds (the package Fuzz builds it once more); here its kept inputs are fed.
        .target(
            name: "FuzzTargets", dependencies: ["Cryptography", "DataProtection", "FolderModel"],
            path: "Fuzz/Sources/FuzzTargets"),
        .target(
            name: "CommandFuzzing", dependencies: ["DataProtection", "FuzzTargets", "seal"],
            path: "Fuzz/Sources/CommandFuzzing"),
        .testTarget(
            name: "CryptographyTests",
            dependencies: ["CCrypto", "CSodium", "Cryptography", "TestSupport"]),
        .testTarget(
            name: "DataProtectionTests",
            dependencies: [
                "Cryptography", "DataProtection", "ProtectedDataNotifications", "SimulatedDevice",
                "TestSupport",
            ]),
        .testTarget(
            name: "OutboxTests",
            dependencies: ["Cryptography", "DataProtection", "SimulatedDevice", "TestSupport"]),
        .testTarget(
            name: "DatabaseTests",
            dependencies: [
                "CSQLite", "DataProtection", "ProtectedDatabase", "SimulatedDevice", "TestSupport",
            ]),
        .testTarget(
            name: "SimulatedDeviceTests",
            dependencies: ["DataProtection", "SimulatedDevice", "TestSupport"]),
        // Code for iOS as people write it, on this library.
        .testTarget(
            name: "SeedSampleTests",
            dependencies: ["DataProtection", "ProtectedDataNotifications", "TestSupport"]),
        .testTarget(
            name: "CommandTests", dependencies: ["DataProtection", "TestSupport", "seal"],
            exclude: ["Sessions", "Tools"]),
        // Scenarios that the explorer must break, and some that it must not.
        .testTarget(
            name: "ExplorerTests", dependencies: ["DataProtection", "SimulatedDevice"]),
        .testTarget(name: "HouseRulesTests", exclude: ["unsafe-census.txt"]),
        // A volume beside a plain folder to which the same is done.
        .target(
            name: "FolderModel", dependencies: ["CLinux", "DataProtection", "TestSupport"],
            path: "Tests/FolderModel"),
        .executableTarget(
            name: "ModelDriver", dependencies: ["FolderModel"], path: "Tests/ModelDriver"),
        // A process that tests kill, cut the power of, and search the memory of.
        .executableTarget(
            name: "CrashDriver", dependencies: ["DataProtection"], path: "Tests/CrashDriver"),
        .testTarget(
            name: "ProofTests",
            dependencies: [
                "CCrypto", "CommandFuzzing", "CrashDriver", "Cryptography", "DataProtection",
                "FolderModel", "FuzzTargets", "ModelDriver", "SimulatedDevice", "TestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
