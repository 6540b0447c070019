import Testing

/// A function that is the whole value of a mutex is wrapped once more at each look at it.
@Suite struct StoredFunctionTests {
    @Test func `no mutex holds a function as its whole value`() throws {
        for file in try SourceTree.library() {
            for line in file.lines where line.contains("Mutex<") {
                let isFunction = line.contains("->") && !line.contains("Mutex<[")
                #expect(
                    !isFunction && !line.contains("Mutex<OperationHook"), "\(file.path): \(line)")
            }
        }
    }
}
