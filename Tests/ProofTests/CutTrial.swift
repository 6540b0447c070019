import DataProtection
import SimulatedDevice
import TestSupport

/// One power cut and what is done after it.
struct CutTrial: Sendable {
    /// After how many host operations.
    var cut: Int
    /// Which of the possible disks.
    var outcome: CutOutcome
    /// Whether everything is looked at a second time, after a second start.
    var looksTwice = false
    /// Whether the power fails again while the volume is put in order, as this seed decides.
    var secondCut: UInt64?
    /// Whether files and folders are written to afterwards.
    var writesOn = false

    /// Cuts, starts again, and compares.
    ///
    /// - Throws: `CutFault`.
    func run(_ run: CutRun, cuts: PossibleCuts? = nil) throws {
        let cuts = cuts ?? run.store.possibleCuts(afterOperation: cut)
        var image = cuts.image(outcome)
        if let secondCut {
            var generator = SeededGenerator(seed: secondCut)
            let store = CrashingStore(image)
            _ = try Self.look(store)
            let count = Int.random(in: 0...store.operationCount, using: &generator)
            image = store.cut(.random(seed: generator.next()), afterOperation: count).image()
        }
        let store = MemoryStore(image)
        let found = try Self.look(store, writesOn: writesOn && !looksTwice)
        try run.model.check(found, cut: cut)
        if looksTwice {
            let again = try Self.look(store, writesOn: writesOn)
            guard again == found else { throw CutFault.unstable }
        }
    }

    /// Opens, looks at everything, and closes.
    private static func look(
        _ store: any BackingStore, writesOn: Bool = false
    ) throws -> CutObservation {
        let volume: ProtectedVolume
        do {
            volume = try ProtectedVolume.open(store, deviceKey: ProofVolume.open.deviceKey)
        } catch {
            throw CutFault.cannotOpen(error.description)
        }
        let found = try CutObservation(volume)
        if writesOn { try writeOn(volume, found) }
        try volume.close()
        return found
    }

    /// Appends to every file and makes a file in every folder.
    private static func writeOn(_ volume: ProtectedVolume, _ found: CutObservation) throws {
        do {
            for (path, file) in found.files {
                let handle = try volume.openFile(path, .readWrite)
                let place = try handle.append([1, 2, 3])
                let end = try handle.read(at: place, count: 10)
                // A file with two names was written by its other one already.
                guard end == [1, 2, 3], (place - Int64(file.content.count)) % 3 == 0 else {
                    throw CutFault.cannotWrite(path)
                }
            }
            for folder in found.folders.keys {
                try volume.write([1], to: "\(folder)/written after the cut")
            }
        } catch let error as ProtectionError {
            throw CutFault.cannotWrite(error.description)
        }
    }
}
