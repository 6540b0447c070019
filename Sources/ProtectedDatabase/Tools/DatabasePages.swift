package import DataProtection

/// The pages of a database's file as the volume has them, without SQLite.
package struct DatabasePages {
    /// How long a page is, in bytes.
    package let pageByteCount: Int
    /// How many there are.
    package let count: Int64
    /// The numbers, from 1, of those that are not what was written, in order.
    package private(set) var damaged: [Int64] = []
    /// What the volume says of the first of them.
    package private(set) var damage: ProtectionError?

    private let file: ProtectedFile
    private static let damagedMaximum = 100_000

    /// Reads a whole database file.
    ///
    /// - Parameter progress: is told how many bytes were read; what it throws ends the check.
    /// - Throws: `sealed`, `missing`; `damaged` when not even the file's beginning verifies.
    package init(
        _ path: String, in volume: ProtectedVolume, progress: (Int64) throws -> Void
    ) throws {
        file = try volume.openFile(path, .read)
        var head = [UInt8](repeating: 0, count: 100)
        var size = 4096
        if (try? file.read(into: &head)) == 100 {
            let said = Int(head[16]) << 8 | Int(head[17])
            size = said == 1 ? 65536 : said
        }
        // A page size that is none, in a file that is no database.
        pageByteCount = size >= 512 && size & (size - 1) == 0 ? size : 4096
        count = (file.size + Int64(pageByteCount) - 1) / Int64(pageByteCount)
        var page = [UInt8](repeating: 0, count: pageByteCount)
        for number in 0..<count {
            do throws(ProtectionError) {
                _ = try file.read(into: &page, at: number * Int64(pageByteCount))
            } catch {
                guard error.code == .damaged else { throw error.at(path) }
                damage = damage ?? error
                damaged.append(number + 1)
                guard damaged.count < Self.damagedMaximum else { break }
            }
            try progress((number + 1) * Int64(pageByteCount))
        }
    }

    /// A page's bytes.
    ///
    /// - Parameter number: from 1.
    /// - Returns: `nil` for one that cannot be read, or is not there.
    func page(_ number: Int64) -> [UInt8]? {
        guard (1...max(1, count)).contains(number) else { return nil }
        var page = [UInt8](repeating: 0, count: pageByteCount)
        let read = try? file.read(into: &page, at: (number - 1) * Int64(pageByteCount))
        return read == pageByteCount ? page : nil
    }
}

extension ProtectedFile {
    /// Reads into an array.
    fileprivate func read(
        into bytes: inout [UInt8], at offset: Int64 = 0
    ) throws(ProtectionError) -> Int {
        var span = bytes.mutableSpan
        return try read(into: &span, at: offset)
    }
}
