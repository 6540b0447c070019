// swift-tools-version: 6.3
import PackageDescription

// A package of its own: users of the library never build it. scripts/fuzz.sh links the library with
// libFuzzer, which brings its own main().

/// SwiftPM names a package after its folder; under that name these targets see the engine's inside.
let folder = Context.packageDirectory.split(separator: "/").dropLast().last ?? ""
let name = String(folder.lowercased().map { $0.isLetter || $0.isNumber ? $0 : "_" })
let inside: [SwiftSetting] = [
    .unsafeFlags(["-package-name", name, "-parse-as-library"]),
    .enableExperimentalFeature("Lifetimes"),
]
let library = Target.Dependency.product(name: "DataProtection", package: "swift-data-protection")
let databases = Target.Dependency.product(
    name: "ProtectedDatabase", package: "swift-data-protection")
let agent = Target.Dependency.product(name: "AgentControl", package: "swift-data-protection")

let package = Package(
    name: "Fuzz",
    products: [.library(name: "Fuzz", type: .static, targets: ["Fuzz"])],
    dependencies: [.package(name: "swift-data-protection", path: "..")],
    targets: [
        .target(
            name: "FuzzTargets", dependencies: ["FolderModel", library], packageAccess: false,
            swiftSettings: inside),
        // Links to what the library's own tests use.
        .target(
            name: "FolderModel", dependencies: ["TestSupport", library], packageAccess: false,
            swiftSettings: inside),
        .target(
            name: "TestSupport", dependencies: [library], packageAccess: false,
            swiftSettings: inside),
        // The command's sources, once more: an executable cannot be linked into another.
        .target(
            name: "SealCommand", dependencies: [library, databases, agent], packageAccess: false,
            swiftSettings: inside + [
                .enableUpcomingFeature("InternalImportsByDefault"),
                .enableUpcomingFeature("MemberImportVisibility"),
                .unsafeFlags([
                    "-Xfrontend", "-entry-point-function-name", "-Xfrontend", "seal_main",
                ]),
            ]),
        .target(
            name: "CommandFuzzing", dependencies: ["FuzzTargets", "SealCommand", library],
            packageAccess: false, swiftSettings: inside),
        .target(
            name: "Fuzz", dependencies: ["CommandFuzzing", "FuzzTargets"], packageAccess: false,
            swiftSettings: inside),
    ],
    swiftLanguageModes: [.v6]
)
