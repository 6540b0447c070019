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
        .library(name: "ProtectedMount", targets: ["ProtectedMount"]),
        .library(name: "DataProtectionTesting", targets: ["DataProtectionTesting"]),
        .library(name: "SessionLock", targets: ["SessionLock"]),
        .library(name: "AgentControl", targets: ["AgentControl"]),
        .executable(name: "seal", targets: ["seal"]),
        .executable(name: "seal-agent", targets: ["seal-agent"]),
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
        .systemLibrary(
            name: "CSystemd", path: "Sources/CLibraries/CSystemd",
            pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .systemLibrary(
            name: "CFuse", path: "Sources/CLibraries/CFuse",
            pkgConfig: "fuse3", providers: [.apt(["libfuse3-dev"])]),
        .systemLibrary(name: "CLinux", path: "Sources/CLibraries/CLinux"),

        // The library.
        .target(name: "Cryptography", dependencies: ["CCrypto", "CSodium"], swiftSettings: strict),
        .target(
            name: "DataProtection", dependencies: ["CLinux", "Cryptography"], swiftSettings: strict),

        // SQLite over a volume: its files, locks and shared memory.
        .target(
            name: "ProtectedDatabase", dependencies: ["Cryptography", "CSQLite", "DataProtection"],
            swiftSettings: strict),

        // A volume as a folder of the machine, for any program.
        .target(
            name: "ProtectedMount", dependencies: ["CFuse", "DataProtection"],
            swiftSettings: strict),

        // All of Foundation costs a program 3.4 ms at its start, so what needs it stands alone.
        .target(
            name: "ProtectedDataNotifications",
            dependencies: ["AgentControl", "DataProtection"],
            swiftSettings: strict),

        // Locks a volume when the desktop session locks.
        .target(
            name: "SessionLock", dependencies: ["CSystemd", "DataProtection"],
            swiftSettings: strict),

        // Talks to the agent of a mounted volume: what `seal` and apps inside the mount use.
        .target(
            name: "AgentControl", dependencies: ["Cryptography", "DataProtection"],
            swiftSettings: strict),

        // Keeps one volume mounted: locks it with the session, asks for the passcode, answers at a
        // socket. A program of its own, because libsystemd costs a start nearly a millisecond.
        .target(
            name: "ProtectionAgent",
            dependencies: [
                "AgentControl", "Cryptography", "CSystemd", "DataProtection", "ProtectedMount",
                "SessionLock",
            ],
            swiftSettings: strict),
        .executableTarget(
            name: "seal-agent", dependencies: ["ProtectionAgent"], swiftSettings: strict),

        // The engine's seams, simulated: a device with its clock, power cuts, full disks.
        .target(
            name: "SimulatedDevice",
            dependencies: ["DataProtection", "ProtectedDataNotifications"],
            swiftSettings: strict),

        // For other people's tests: is a file's class the one that its store has written down?
        .target(
            name: "DataProtectionTesting", dependencies: ["DataProtection", "SimulatedDevice"],
            swiftSettings: strict),

        // Two apps in small, as people write them: plain settings, so that they can be copied.
        .target(
            name: "TrainingRecords", dependencies: ["DataProtection"],
            path: "Examples/TrainingRecords", swiftSettings: [.treatAllWarnings(as: .error)]),
        .target(
            name: "ProseLibrary", dependencies: ["DataProtection"],
            path: "Examples/ProseLibrary", swiftSettings: [.treatAllWarnings(as: .error)]),

        // The command.
        .executableTarget(
            name: "seal",
            dependencies: ["AgentControl", "DataProtection", "ProtectedDatabase"],
            swiftSettings: strict),

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
                "Cryptography", "DataProtection", "ProtectedDataNotifications", "ProtectedMount",
                "SimulatedDevice", "TestSupport",
            ]),
        .testTarget(
            name: "OutboxTests",
            dependencies: [
                "Cryptography", "DataProtection", "DataProtectionTesting", "SimulatedDevice",
                "TestSupport",
            ]),
        .testTarget(
            name: "DatabaseTests",
            dependencies: [
                "CSQLite", "DataProtection", "ProtectedDatabase", "SimulatedDevice", "TestSupport",
            ]),
        .executableTarget(
            name: "MountDriver", dependencies: ["DataProtection", "ProtectedMount"],
            path: "Tests/MountDriver"),
        .testTarget(
            name: "MountTests",
            dependencies: [
                "AgentControl", "CLinux", "DataProtection", "MountDriver", "ProtectedMount",
                "TestSupport",
            ]),
        .testTarget(
            name: "SimulatedDeviceTests",
            dependencies: ["DataProtection", "SimulatedDevice", "TestSupport"]),
        .testTarget(
            name: "DataProtectionTestingTests",
            dependencies: [
                "DataProtection", "DataProtectionTesting", "SimulatedDevice", "TestSupport",
            ]),
        .testTarget(
            name: "ExampleTests",
            dependencies: [
                "DataProtection", "DataProtectionTesting", "ProseLibrary", "SimulatedDevice",
                "TrainingRecords",
            ]),
        // Code for iOS as people write it, on this library.
        .testTarget(
            name: "SeedSampleTests",
            dependencies: ["DataProtection", "ProtectedDataNotifications", "TestSupport"]),
        .testTarget(
            name: "CommandTests", dependencies: ["DataProtection", "TestSupport", "seal"],
            exclude: ["Sessions", "Tools"]),
        // Scenarios that the explorer must break, and some that it must not.
        .testTarget(
            name: "ExplorerTests",
            dependencies: ["DataProtection", "DataProtectionTesting", "SimulatedDevice"]),
        .testTarget(
            name: "SessionLockTests",
            dependencies: ["DataProtection", "SessionLock", "TestSupport"],
            exclude: ["desktop.py"]),
        .testTarget(
            name: "AgentTests",
            dependencies: [
                "AgentControl", "DataProtection", "ProtectedDataNotifications", "ProtectionAgent",
                "TestSupport",
            ]),
        .testTarget(name: "HouseRulesTests", exclude: ["unsafe-census.txt"]),
        // A volume beside a plain folder to which the same is done.
        .target(
            name: "FolderModel", dependencies: ["CLinux", "DataProtection", "TestSupport"],
            path: "Tests/FolderModel"),
        .executableTarget(
            name: "ModelDriver", dependencies: ["FolderModel"], path: "Tests/ModelDriver"),
        // A process that tests kill, cut the power of, and search the memory of.
        .executableTarget(
            name: "CrashDriver", dependencies: ["DataProtection", "ProtectedDatabase"],
            path: "Tests/CrashDriver"),
        .testTarget(
            name: "ProofTests",
            dependencies: [
                "CCrypto", "CommandFuzzing", "CrashDriver", "Cryptography", "DataProtection",
                "FolderModel", "FuzzTargets", "ModelDriver", "SimulatedDevice", "TestSupport",
            ]),
    ],
    swiftLanguageModes: [.v6]
)
