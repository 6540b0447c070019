import DataProtection
import Glibc

extension CutModel {
    /// Compares what is there after a cut with what may be.
    ///
    /// - Parameter cut: after how many host operations the power failed.
    func check(_ found: CutObservation, cut: Int) throws(CutFault) {
        var fault: CutFault?
        for names in possibleNames(cut: cut) {
            guard Set(names.tree.files.keys) == Set(found.files.keys),
                Set(names.tree.folders.keys) == Set(found.folders.keys)
            else { continue }
            do throws(CutFault) {
                try check(found, names.tree, cut: cut)
                return
            } catch {
                fault = fault ?? error
            }
        }
        let paths = found.files.keys.map { String($0.prefix(12)) } + found.folders.keys
        throw fault ?? .wrongNames(found: paths.sorted())
    }

    private func check(
        _ found: CutObservation, _ tree: CutTree, cut: Int
    ) throws(CutFault) {
        for (path, file) in found.files {
            let number = tree.files[path]!
            let states = possibleStates(of: number, cut: cut)
            if let place = Self.firstWrongByte(file.content, states) {
                throw .lostBytes(path, at: place)
            }
            // An empty file whose header never got out takes its folder's class, which was not
            // promised to be otherwise.
            let isPromised = isClassPromised(of: number, states, cut: cut)
            guard isPromised || !file.content.isEmpty else { continue }
            if states.allSatisfy({ file.protectionClass.isWeaker(than: $0.protectionClass) }) {
                throw .weakerClass(path, file.protectionClass)
            }
        }
        for (path, protectionClass) in found.folders {
            let possible = possibleClasses(ofFolder: tree.folders[path]!, cut: cut)
            guard possible.contains(protectionClass) else { throw .wrongFolderClass(path) }
        }
    }

    /// The first byte that is neither its old nor a new value; `nil` when all are right.
    private static func firstWrongByte(
        _ found: [UInt8], _ states: ArraySlice<CutFileState>
    ) -> Int? {
        if states.contains(where: { $0.content == found }) { return nil }
        let shortest = states.map(\.content.count).min() ?? 0
        guard isPossible(size: found.count, states) else { return found.count }
        let isSparse = states.contains { $0.isSparse }
        var start = 0
        while start < found.count {
            let end = min(found.count, start + 256)
            let isWhole = states.contains { equal($0.content, found, start..<end) }
            if !isWhole {
                for place in start..<end
                where !isRight(found[place], at: place, states, isSparse, shortest) {
                    return place
                }
            }
            start = end
        }
        return nil
    }

    /// A cut happens as a whole; growth may stop at any page.
    private static func isPossible(size: Int, _ states: ArraySlice<CutFileState>) -> Bool {
        zip(states, states.dropFirst()).contains { before, after in
            size == before.content.count || size == after.content.count
                || (before.content.count..<max(before.content.count, after.content.count))
                    .contains(size)
        }
    }

    private static func isRight(
        _ byte: UInt8, at place: Int, _ states: ArraySlice<CutFileState>, _ isSparse: Bool,
        _ shortest: Int
    ) -> Bool {
        // Where a sparse file had an end before this byte, a page that got lost is a hole.
        if isSparse, byte == 0, place >= shortest { return true }
        return states.contains { place < $0.content.count && $0.content[place] == byte }
    }

    private static func equal(_ one: [UInt8], _ other: [UInt8], _ range: Range<Int>) -> Bool {
        guard range.upperBound <= one.count else { return false }
        return one.withUnsafeBytes { one in
            other.withUnsafeBytes { other in
                memcmp(
                    one.baseAddress! + range.lowerBound, other.baseAddress! + range.lowerBound,
                    range.count) == 0
            }
        }
    }
}

extension ProtectionClass {
    func isWeaker(than other: ProtectionClass) -> Bool { other.isStricter(than: self) }
}
