import DataProtection
import FoundationEssentials

/// What whoever has the disk sees of a volume's file.
struct HostSight {
    /// Its path on the host, below the volume's folder.
    let name: String
    /// Its size on the host, in bytes.
    let byteCount: Int
    /// The first bytes of its content, encrypted, in hexadecimal.
    let bytes: String

    /// Where the content of a small file begins on the host, in bytes: after header and page head
    /// (docs/format.md).
    private static let contentOffset = 556

    /// Looks at some file of a volume.
    init(volumePath: String) throws {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: volumePath)) ?? []
        let found = names.sorted().first { $0.contains("/") && !lastName(of: $0).hasPrefix(".") }
        guard let found else { throw Failure("\(volumePath): it holds no file") }
        name = found
        let file = try HostFile(opening: joined(volumePath, found))
        byteCount = Int(try file.status().byteCount)
        var page = [UInt8](repeating: 0, count: 4096)
        var span = page.mutableSpan
        _ = try file.fill(&span)
        bytes = page[Self.contentOffset..<Self.contentOffset + 16].map {
            let digits = String($0, radix: 16)
            return digits.count == 1 ? "0" + digits : digits
        }.joined(separator: " ")
    }
}
