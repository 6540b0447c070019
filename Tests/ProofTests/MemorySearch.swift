import Foundation
import Glibc

/// Searches the writable memory of another process, as root can through `/proc/PID/mem`.
///
/// Core dumps leave out the pages where keys live; this does not.
struct MemorySearch {
    /// Both halves of each secret, by their first eight bytes.
    private var halves: [UInt64: [(name: String, bytes: [UInt8])]] = [:]
    private var starts = [Bool](repeating: false, count: 65_536)

    /// Looks for the two 16-byte halves of each secret: a part of a key is a find, too.
    init(_ secrets: [(name: String, bytes: [UInt8])]) {
        for secret in secrets {
            for start in stride(from: 0, to: secret.bytes.count - 15, by: 16) {
                let half = Array(secret.bytes[start..<start + 16])
                halves[Self.word(half, 0), default: []].append((secret.name, half))
                starts[Int(half[0]) | Int(half[1]) << 8] = true
            }
        }
    }

    private static func word(_ bytes: UnsafePointer<UInt8>, _ index: Int) -> UInt64 {
        UnsafeRawPointer(bytes + index).loadUnaligned(as: UInt64.self)
    }

    /// How often each secret, or half of one, is in the memory of a process.
    func hits(in process: Int32) throws -> [String: Int] {
        var hits: [String: Int] = [:]
        let descriptor = open("/proc/\(process)/mem", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(.EACCES) }
        defer { close(descriptor) }
        for line in try Self.maps(of: process).split(separator: "\n") {
            let fields = line.split(separator: " ", omittingEmptySubsequences: true)
            let range = fields[0].split(separator: "-").compactMap { UInt64($0, radix: 16) }
            guard fields[1].hasPrefix("rw"), range.count == 2 else { continue }
            let place = fields.count > 5 ? String(fields[5]) : "anonymous"
            search(descriptor, range[0]..<range[1], place, &hits)
        }
        return hits
    }

    /// The whole list: one `read(2)` gives only as much as fits into a page.
    private static func maps(of process: Int32) throws -> String {
        let descriptor = open("/proc/\(process)/maps", O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw POSIXError(.EACCES) }
        defer { close(descriptor) }
        var text: [UInt8] = []
        var buffer = [UInt8](repeating: 0, count: 4096)
        while case let count = Glibc.read(descriptor, &buffer, buffer.count), count > 0 {
            text += buffer[..<count]
        }
        return String(decoding: text, as: UTF8.self)
    }

    private func search(
        _ descriptor: Int32, _ range: Range<UInt64>, _ place: String, _ hits: inout [String: Int]
    ) {
        let chunk = 1 << 20
        let overlap: UInt64 = 16
        var buffer = [UInt8](repeating: 0, count: chunk)
        var start = range.lowerBound
        while start < range.upperBound {
            let count = pread(
                descriptor, &buffer, min(chunk, Int(range.upperBound - start)), off_t(start))
            guard count > 16 else { return }
            buffer.withUnsafeBufferPointer { search($0.baseAddress!, count, place, &hits) }
            guard count == chunk else { return }
            start += UInt64(count) - overlap
        }
    }

    private func search(
        _ bytes: UnsafePointer<UInt8>, _ count: Int, _ place: String, _ hits: inout [String: Int]
    ) {
        var index = 0
        let end = count - 16
        starts.withUnsafeBufferPointer { starts in
            let starts = starts.baseAddress!
            while index <= end {
                // Most of the memory is zeros, and no secret begins with eight of them.
                if Self.word(bytes, index) == 0 {
                    var next = index + 8
                    while next <= end, Self.word(bytes, next) == 0 { next += 8 }
                    index = next - 7
                    continue
                }
                let at = index
                index += 1
                guard starts[Int(bytes[at]) | Int(bytes[at + 1]) << 8] else { continue }
                for half in halves[Self.word(bytes, at)] ?? []
                where memcmp(bytes + at, half.bytes, 16) == 0 {
                    hits[half.name, default: 0] += 1
                    if ProcessInfo.processInfo.environment["PROOF_PLACES"] != nil {
                        print("wiping: \(half.name) at \(place)")
                    }
                }
            }
        }
    }
}
