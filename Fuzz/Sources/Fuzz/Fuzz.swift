import CommandFuzzing
import FuzzTargets
import Glibc

/// What libFuzzer calls: the target that the environment names gets the bytes.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = Array(UnsafeBufferPointer(start: start, count: count))
    do {
        try Chosen.target(bytes)
    } catch {
        fatalError("\(error)")
    }
    return 0
}

private enum Chosen {
    static let target: @Sendable ([UInt8]) throws -> Void = {
        let name = getenv("FUZZ_TARGET").map { String(cString: $0) } ?? ""
        if let target = FuzzTarget(rawValue: name) { return { try target.run($0) } }
        if let target = CommandFuzzing(rawValue: name) { return { try target.run($0) } }
        let names = FuzzTarget.allCases.map(\.rawValue) + CommandFuzzing.allCases.map(\.rawValue)
        print("targets: \(names.joined(separator: " "))")
        fflush(nil)
        _exit(0)
    }()
}
