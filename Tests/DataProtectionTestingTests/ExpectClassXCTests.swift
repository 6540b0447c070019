import DataProtection
import DataProtectionTesting
import Foundation
import SimulatedDevice
import XCTest

/// The proof of a class, in XCTest.
final class ExpectClassXCTests: XCTestCase {
    /// What this test case has been told of failures while it caught them.
    private var failures: [(text: String, file: String, line: Int)] = []
    private var isCatching = false

    // How failures are seen without failing: there is no XCTExpectFailure on Linux.
    override func recordFailure(
        withDescription description: String, inFile filePath: String, atLine lineNumber: Int,
        expected: Bool
    ) {
        guard isCatching else {
            return super.recordFailure(
                withDescription: description, inFile: filePath, atLine: lineNumber,
                expected: expected)
        }
        failures.append((description, filePath, lineNumber))
    }

    private func catching(
        _ check: () throws -> Void
    ) rethrows -> [(text: String, file: String, line: Int)] {
        isCatching = true
        defer { isCatching = false }
        failures = []
        try check()
        return failures
    }

    private func note(on device: SimulatedDevice) throws -> URL {
        let url = try device.files.rootURL.appending(path: "note")
        try Data().write(to: url, options: [.completeFileProtection], in: device.files)
        return url
    }

    func testHoldsForAFileWithTheClassOfItsPolicy() throws {
        let device = try SimulatedDevice()
        let url = try note(on: device)
        device.lockAtOnce()
        try expectClass(
            of: url, is: .complete, policy: ProtectionClass.complete, in: device.files)
    }

    func testFailsWhereItStandsWithTheFileTheExpectedAndTheFoundClass() throws {
        let device = try SimulatedDevice()
        let url = try note(on: device)
        let line = #line + 2
        let found = try catching {
            try expectClass(of: url, is: .none, policy: ProtectionClass.none, in: device.files)
        }
        XCTAssertEqual(found.map(\.line), [line])
        XCTAssertEqual(found.map(\.file), [#filePath])
        XCTAssertTrue(
            found[0].text.contains("\(url.path): expected class none, found complete"),
            found[0].text)
    }

    func testFailsForAPolicyOfAnotherClassAndForAMissingFile() throws {
        let device = try SimulatedDevice()
        let url = try note(on: device)
        let policy = try catching {
            try expectClass(of: url, is: .complete, policy: ProtectionClass.none, in: device.files)
        }
        XCTAssertEqual(policy.count, 1)
        try device.files.removeItem(at: url)
        let missing = try catching {
            try expectClass(
                of: url, is: .complete, policy: ProtectionClass.complete, in: device.files)
        }
        XCTAssertEqual(missing.count, 1)
        XCTAssertTrue(missing[0].text.contains("its class cannot be told"))
    }

    func testSkipsWithTheReasonWhereDataProtectionIsNotEnforced() throws {
        let device = try SimulatedDevice(.init(enforcesDataProtection: false))
        let url = try note(on: device)
        XCTAssertThrowsError(
            try expectClass(
                of: url, is: .complete, policy: ProtectionClass.complete, in: device.files)
        ) { error in
            XCTAssertTrue(
                (error as? XCTSkip)?.message?.contains("not enforced") == true, "\(error)")
        }
        let policy = try catching {
            try expectClass(of: url, is: .complete, policy: ProtectionClass.none, in: device.files)
        }
        XCTAssertEqual(policy.count, 1)
    }
}
