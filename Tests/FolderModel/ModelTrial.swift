import DataProtection
import Foundation
import TestSupport

/// Random sequences, each from a seed of its own, and what is left of one that failed.
public struct ModelTrial: Sendable {
    /// What everything follows from.
    public var seed: UInt64
    /// How many operations, in sequences of `sequenceCount`.
    public var operationCount: Int
    /// Where files are made.
    public var folder: String
    /// How long a sequence is.
    public static let sequenceCount = 2000

    /// Describes a trial.
    public init(seed: UInt64, operationCount: Int, folder: String) {
        self.seed = seed
        self.operationCount = operationCount
        self.folder = folder
    }

    /// What a sequence did that no sequence should.
    public struct Failure: Error, CustomStringConvertible {
        /// The seed, the fault, and the shortest sequence that was found to have it.
        public let description: String
    }

    /// Runs all sequences.
    ///
    /// - Parameter progress: is told after each sequence how many operations were done.
    public func run(progress: (Int) -> Void = { _ in }) throws {
        var done = 0
        var number: UInt64 = 0
        while done < operationCount {
            let count = min(Self.sequenceCount, operationCount - done)
            try runSequence(seed: seed &+ number, count: count)
            done += count
            number += 1
            progress(done)
        }
    }

    /// What a seed is run on.
    public static func setup(seed: UInt64) -> ModelSetup {
        ModelSetup(
            host: seed % 4 == 3 ? .memory : .folder, rules: seed % 8 < 5 ? .apple : .safer,
            cipher: seed % 2 == 0 ? .aes : .chacha)
    }

    /// The operations of a seed.
    public static func operations(seed: UInt64, count: Int) -> [ModelOperation] {
        var generator = SeededGenerator(seed: seed)
        let setup = setup(seed: seed)
        return (0..<count).map { _ in
            ModelOperation.random(
                using: &generator, locks: setup.locks, isRoot: getuid() == 0,
                isOnDisk: setup.host == .folder)
        }
    }

    private func runSequence(seed: UInt64, count: Int) throws {
        let setup = Self.setup(seed: seed)
        let operations = Self.operations(seed: seed, count: count)
        guard let fault = try perform(operations, setup) else { return }
        let (short, last) = try shorten(operations, setup, fault)
        let lines = short.map { "    \($0)" }.joined(separator: "\n")
        throw Failure(
            description: "seed \(seed), host \(setup.host), rules \(setup.rules.name): \(fault)\n"
                + "\(short.count) operations are enough: \(last)\n\(lines)")
    }

    /// Does operations to a new volume and a new folder.
    ///
    /// - Returns: what was wrong, in words.
    private func perform(_ operations: [ModelOperation], _ setup: ModelSetup) throws -> ModelFault?
    {
        let place = folder + "/" + UUID().uuidString
        try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
        defer { Self.remove(place) }
        do {
            try ModelRun(setup, in: place).run(operations)
            return nil
        } catch let fault as ModelFault {
            return fault
        }
    }

    /// Leaves out as many operations as can be.
    private func shorten(
        _ operations: [ModelOperation], _ setup: ModelSetup, _ fault: ModelFault
    ) throws -> ([ModelOperation], ModelFault) {
        var short = operations
        var last = fault
        var step = max(1, short.count / 2)
        var tries = 0
        while tries < 2000 {
            var start = 0
            var isShorter = false
            while start < short.count, tries < 2000 {
                var candidate = short
                candidate.removeSubrange(start..<min(short.count, start + step))
                tries += 1
                if let found = try perform(candidate, setup), found.kind == fault.kind {
                    (short, last, isShorter) = (candidate, found, true)
                } else {
                    start += step
                }
            }
            if step == 1, !isShorter { break }
            step = max(1, step / 2)
        }
        return (short, last)
    }

    /// Removes a folder whatever the modes in it are.
    private static func remove(_ path: String) {
        if let names = FileManager.default.enumerator(atPath: path) {
            chmod(path, 0o700)
            while let name = names.nextObject() as? String {
                var status = stat()
                let place = path + "/" + name
                if lstat(place, &status) == 0, status.format == S_IFDIR { chmod(place, 0o700) }
            }
        }
        try? FileManager.default.removeItem(atPath: path)
    }
}
