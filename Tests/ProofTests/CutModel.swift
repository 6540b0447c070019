import DataProtection

/// What a volume may hold after a power cut, kept beside it while it runs.
struct CutModel: Sendable {
    /// Every state that each file went through, in order.
    private(set) var files: [[CutFileState]] = []
    /// In which entry of `names` each file came to be.
    private var births: [Int] = []
    /// The names after each call that changed them.
    private(set) var names = [CutNames(span: 0...0, tree: CutTree())]
    /// The classes that folders give, by folder; each holds from the end of its span.
    private(set) var folderClasses: [[(span: ClosedRange<Int>, class: ProtectionClass?)]] = [
        [(0...0, nil)]
    ]
    private var promises: [CutNamesPromise] = []
    /// Whether a sync commits all that was journaled before it.
    var syncsCommitAll = false
    /// The last entry of `names` that concerns each folder.
    private var touched: [Int: Int] = [:]

    /// An empty volume.
    init() {}

    /// Begins with what is on the disk, all of it durable.
    init(_ found: CutObservation) {
        for (path, protectionClass) in found.folders.sorted(by: { $0.key < $1.key }) {
            guard !path.isEmpty else {
                folderClasses[0] = [(0...0, protectionClass)]
                continue
            }
            addFolder(path, 0...0, class: protectionClass)
        }
        var known: [UInt64: Int] = [:]
        for (path, file) in found.files {
            if let number = known[file.identity] {
                changeNames(0...0, in: []) { $0.files[path] = number }
                continue
            }
            known[file.identity] = files.count
            addFile(
                path,
                CutFileState(
                    span: 0...0, content: file.content, protectionClass: file.protectionClass,
                    isSparse: true, isAcknowledged: true, isClassAcknowledged: true))
        }
        names = [CutNames(span: 0...0, tree: tree)]
        births = births.map { _ in 0 }
        touched = [:]
    }

    var tree: CutTree { names.last!.tree }

    func state(of path: String) -> CutFileState { files[tree.files[path]!].last! }

    mutating func changeNames(
        _ span: ClosedRange<Int>, in folders: [String], _ change: (inout CutTree) -> Void
    ) {
        let numbers = folders.compactMap { tree.folders[$0] }
        var changed = tree
        change(&changed)
        names.append(CutNames(span: span, tree: changed))
        for number in numbers { touched[number] = names.count - 1 }
    }

    mutating func addFile(_ path: String, _ state: CutFileState) {
        files.append([state])
        let number = files.count - 1
        changeNames(state.span, in: [CutTree.parent(of: path)]) { $0.files[path] = number }
        births.append(names.count - 1)
    }

    /// Says when the call that made the newest names returned.
    mutating func endNames(at count: Int) {
        names[names.count - 1].span = names.last!.span.lowerBound...count
    }

    mutating func addFolder(
        _ path: String, _ span: ClosedRange<Int>, class protectionClass: ProtectionClass?
    ) {
        folderClasses.append([(span, protectionClass)])
        let number = folderClasses.count - 1
        changeNames(span, in: [CutTree.parent(of: path)]) { $0.folders[path] = number }
    }

    mutating func setFolderClass(
        _ path: String, _ span: ClosedRange<Int>, class protectionClass: ProtectionClass?
    ) {
        folderClasses[tree.folders[path]!].append((span, protectionClass))
        promiseNames(of: path, at: span.upperBound)
    }

    /// Adds a state of a file.
    mutating func change(_ path: String, _ state: CutFileState) {
        let number = tree.files[path]!
        files[number].append(state)
        if state.isAcknowledged {
            promises.append(
                CutNamesPromise(givenAt: state.span.upperBound, floor: births[number]))
        }
    }

    /// Notes that a folder was synced.
    mutating func promiseNames(of folder: String, at count: Int) {
        guard let floor = touched[tree.folders[folder]!] else { return }
        promises.append(CutNamesPromise(givenAt: count, floor: floor))
    }

    /// Notes that everything was synced.
    mutating func promiseAll(_ span: ClosedRange<Int>) {
        for path in tree.filePaths {
            var state = state(of: path)
            state.span = span
            state.isAcknowledged = true
            state.isClassAcknowledged = true
            change(path, state)
        }
        promises.append(CutNamesPromise(givenAt: span.upperBound, floor: names.count - 1))
    }

    /// Whether a file's class, or its hint, must be on the disk.
    func isClassPromised(of file: Int, _ states: ArraySlice<CutFileState>, cut: Int) -> Bool {
        if states.first!.isClassAcknowledged { return true }
        let birth = files[file][0].span.upperBound
        return syncsCommitAll && promises.contains { (birth...max(birth, cut)) ~= $0.givenAt }
    }

    /// The names that are possible after a cut, the newest first.
    func possibleNames(cut: Int) -> ReversedCollection<ArraySlice<CutNames>> {
        let floor = promises.filter { $0.givenAt <= cut }.map(\.floor).max() ?? 0
        let end = names.lastIndex { $0.span.lowerBound < cut || $0.span.upperBound == 0 } ?? 0
        return names[min(floor, end)...end].reversed()
    }

    /// The states of a file that may mix after a cut: the last promised one, and all after it.
    func possibleStates(of file: Int, cut: Int) -> ArraySlice<CutFileState> {
        let states = files[file]
        let first =
            states.lastIndex { $0.isAcknowledged && $0.span.upperBound <= cut } ?? 0
        let last = states.lastIndex { $0.span.lowerBound < cut } ?? 0
        return states[first...max(first, last)]
    }

    /// The classes that a folder may give after a cut.
    func possibleClasses(ofFolder folder: Int, cut: Int) -> [ProtectionClass?] {
        let all = folderClasses[folder]
        let first = all.lastIndex { $0.span.upperBound <= cut } ?? 0
        return all[first...].filter { $0.span.lowerBound < cut || $0.span.upperBound == 0 }
            .map(\.class)
    }
}
