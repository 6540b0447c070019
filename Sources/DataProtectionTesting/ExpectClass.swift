public import DataProtection
public import FoundationEssentials
public import Testing

/// Expects that a store's policy is a class, and that a file of the store has it, in Swift Testing.
///
/// The policy is looked at everywhere. The class that is recorded for the file is looked at where
/// Data Protection is enforced; elsewhere, as in Apple's Simulator, the test ends as cancelled,
/// with the reason. So this stands at the end of a test:
///
///     let url = try store.save(record)
///     try expectClass(of: url, is: .complete, policy: RecordStore.protection, in: files)
///
/// A file that is missing or damaged, or whose class cannot be told while locked (volumes with
/// private names, before the first unlock), is an issue that says so, everywhere. A sealed file's
/// class can be told.
///
/// - Parameters:
///   - url: the file, or a folder: then the class that it gives to new children. Links are
///     followed.
///   - expected: the class.
///   - policy: the constant that the store writes with.
///   - files: where the file is.
///   - sourceLocation: where an issue is shown.
/// - Throws: what ends the test, where Data Protection is not enforced.
public func expectClass(
    of url: URL, is expected: ProtectionClass, policy: some StatedProtection,
    in files: ProtectedFileManager, sourceLocation: SourceLocation = #_sourceLocation
) throws {
    let isStated = expectPolicy(policy, is: expected, sourceLocation: sourceLocation)
    switch ClassFinding(of: url, is: expected, in: files) {
    case .expected: break
    case .failure(let sentence):
        Issue.record(Comment(rawValue: sentence), sourceLocation: sourceLocation)
    case .skip(let reason):
        // A test that has failed is not skipped.
        guard isStated else { return }
        try Test.cancel(Comment(rawValue: reason), sourceLocation: sourceLocation)
    }
}

/// Expects that a store's policy is a class, in Swift Testing: the half of `expectClass` that holds
/// everywhere. For a test with several stores, whose first `expectClass` may end it.
///
/// - Parameters:
///   - policy: the constant that the store writes with.
///   - expected: the class.
///   - sourceLocation: where an issue is shown.
/// - Returns: whether it is.
@discardableResult
public func expectPolicy(
    _ policy: some StatedProtection, is expected: ProtectionClass,
    sourceLocation: SourceLocation = #_sourceLocation
) -> Bool {
    guard let fault = policy.fault(expecting: expected) else { return true }
    Issue.record(Comment(rawValue: fault), sourceLocation: sourceLocation)
    return false
}
