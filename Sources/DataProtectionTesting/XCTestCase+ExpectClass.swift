public import DataProtection
public import FoundationEssentials
public import XCTest

/// The same for XCTest. Inside a test case these are found before the functions of Swift Testing.
extension XCTestCase {
    /// Expects that a store's policy is a class, and that a file of the store has it.
    ///
    /// The policy is looked at everywhere. The class that is recorded for the file is looked at
    /// where Data Protection is enforced; elsewhere, as in Apple's Simulator, the test is skipped,
    /// with the reason. A file that is missing or damaged, or whose class cannot be told while
    /// locked, is a failure that says so, everywhere.
    ///
    /// - Parameters:
    ///   - url: the file, or a folder: then the class that it gives to new children. Links are
    ///     followed.
    ///   - expected: the class.
    ///   - policy: the constant that the store writes with.
    ///   - files: where the file is.
    ///   - file: the source file in which a failure is shown.
    ///   - line: the line in which a failure is shown.
    /// - Throws: `XCTSkip` where Data Protection is not enforced.
    public func expectClass(
        of url: URL, is expected: ProtectionClass, policy: some StatedProtection,
        in files: ProtectedFileManager, file: StaticString = #filePath, line: UInt = #line
    ) throws {
        let isStated = expectPolicy(policy, is: expected, file: file, line: line)
        switch ClassFinding(of: url, is: expected, in: files) {
        case .expected: break
        case .failure(let sentence): XCTFail(sentence, file: file, line: line)
        case .skip(let reason):
            guard isStated else { return }
            throw XCTSkip(reason, file: file, line: line)
        }
    }

    /// Expects that a store's policy is a class: the half of `expectClass` that holds everywhere.
    ///
    /// - Parameters:
    ///   - policy: the constant that the store writes with.
    ///   - expected: the class.
    ///   - file: the source file in which a failure is shown.
    ///   - line: the line in which a failure is shown.
    /// - Returns: whether it is.
    @discardableResult
    public func expectPolicy(
        _ policy: some StatedProtection, is expected: ProtectionClass,
        file: StaticString = #filePath, line: UInt = #line
    ) -> Bool {
        guard let fault = policy.fault(expecting: expected) else { return true }
        XCTFail(fault, file: file, line: line)
        return false
    }
}
