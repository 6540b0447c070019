import DataProtection
import Foundation
import ProtectedMount
import Synchronization
import TestSupport
import Testing

/// A rig's volume, mounted by this process, and the Foundation-shaped calls on the mount's paths.
final class FilesDoor {
    /// Whether the test that runs is to go through a mount.
    @TaskLocal static var isMounted = false

    /// Whether a volume can be mounted here.
    static let canMount = access("/dev/fuse", R_OK | W_OK) == 0 && geteuid() == 0

    let volume: ProtectedVolume
    let files: ProtectedFileManager
    private let folder: ScratchFolder
    private let mount: ProtectedMount

    init(_ volume: ProtectedVolume) throws {
        self.volume = volume
        folder = try ScratchFolder()
        mount = try ProtectedMount(volume, at: folder.path)
        files = try ProtectedFileManager(mountedAt: folder.path)
    }

    deinit { try? mount.unmount(force: true) }
}

/// Runs each test of a suite twice: on a volume of this process, and on a mounted one.
struct BothDoors: SuiteTrait, TestTrait, TestScoping {
    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        try await function()
        guard testCase != nil, FilesDoor.canMount,
            !test.traits.contains(where: { $0 is OneDoor })
        else { return }
        try await FilesDoor.$isMounted.withValue(true) { try await function() }
    }

    func scopeProvider(for test: Test, testCase: Test.Case?) -> Self? {
        testCase == nil ? nil : self
    }
}

/// A test that says nothing of a mount, and why.
struct OneDoor: TestTrait {
    let reason: String
}

extension Trait where Self == BothDoors {
    /// Runs on a volume of this process, and on a mounted one.
    static var bothDoors: BothDoors { BothDoors() }
}

extension Trait where Self == OneDoor {
    /// Runs on a volume of this process alone.
    static func oneDoor(_ reason: String) -> OneDoor { OneDoor(reason: reason) }
}

@Suite(.enabled(if: FilesDoor.canMount, "needs root and /dev/fuse"), .bothDoors)
struct `A test of file calls` {
    private static let seen = Mutex<[Bool]>([])

    @Test func `runs on a volume of its own and on a mounted one`() throws {
        let files = try VolumeRig().files
        #expect((files.volume == nil) == FilesDoor.isMounted)
        Self.seen.withLock { $0.append(FilesDoor.isMounted) }
        if FilesDoor.isMounted { #expect(Self.seen.withLock { $0 } == [false, true]) }
    }

    @Test(.oneDoor("a folder that is no mount"))
    func `needs a mount where it is told of one`() throws {
        let folder = try ScratchFolder()
        #expect(cocoaCode { _ = try ProtectedFileManager(mountedAt: folder.path) } == 3328)
        #expect(
            cocoaCode { _ = try ProtectedFileManager(mountedAt: folder.path + "/none") } == 260)
    }
}
