import TestSupport
import Testing

/// Gives each case of a test a folder of its own, which is gone when the case ends.
struct StoreScratchTrait: SuiteTrait, TestTrait, TestScoping {
    /// The folder of the case that runs.
    @TaskLocal static var folder: ScratchFolder?

    var isRecursive: Bool { true }

    func provideScope(
        for test: Test, testCase: Test.Case?, performing function: @Sendable () async throws -> Void
    ) async throws {
        guard testCase != nil else { return try await function() }
        let folder = try ScratchFolder()
        try await Self.$folder.withValue(folder) { try await function() }
    }
}

extension Trait where Self == StoreScratchTrait {
    /// A folder for each case of the test.
    static var scratchFolder: StoreScratchTrait { StoreScratchTrait() }
}
