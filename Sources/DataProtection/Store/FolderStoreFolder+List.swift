internal import Glibc

/// Listing: records of `getdents64(2)`, read without a pointer.
extension FolderStoreFolder {
    /// Where a record's fields begin, in bytes: `struct linux_dirent64`.
    private enum Record {
        static let byteCount = 16
        static let type = 18
        static let name = 19
    }

    /// How many bytes of records one call may bring.
    private static var bufferByteCount: Int { 32768 }

    func list() throws(HostError) -> [HostEntry] {
        // A description of its own: its position is not shared with other listings.
        let reader = try HostSystemCalls.open(
            ".", in: descriptor, flags: O_RDONLY | O_DIRECTORY | O_CLOEXEC)
        var entries: [HostEntry] = []
        var buffer = [UInt8](repeating: 0, count: Self.bufferByteCount)
        while true {
            let count = try Self.readEntries(of: reader, into: &buffer)
            if count == 0 { return entries }
            try append(recordsIn: buffer[..<count], to: &entries)
        }
    }

    /// Reads on; 0 at the end.
    private static func readEntries(
        of reader: borrowing HostDescriptor, into buffer: inout [UInt8]
    ) throws(HostError) -> Int {
        do {
            return try HostSystemCalls.readEntries(of: reader, into: &buffer)
        } catch let error where error.code == HostError.noSuchEntry {
            // The folder was removed while open: nothing is in it, as readdir(3) says too.
            return 0
        }
    }

    /// Reads the records of one call.
    private func append(
        recordsIn bytes: ArraySlice<UInt8>, to entries: inout [HostEntry]
    ) throws(HostError) {
        var start = 0
        while start < bytes.endIndex {
            let byteCount =
                Int(bytes[start + Record.byteCount])
                | Int(bytes[start + Record.byteCount + 1]) << 8
            let nameBytes = bytes[(start + Record.name)..<(start + byteCount)].prefix { $0 != 0 }
            let name = String(decoding: nameBytes, as: UTF8.self)
            let type = bytes[start + Record.type]
            let inode = bytes[start..<start + 8].reversed().reduce(UInt64(0)) {
                $0 << 8 | UInt64($1)
            }
            start += byteCount
            if name == "." || name == ".." { continue }
            if let kind = HostKind(directoryType: type) {
                entries.append(HostEntry(name: name, kind: kind, inode: inode))
            } else if let kind = try kindIfPresent(of: name) {
                entries.append(HostEntry(name: name, kind: kind, inode: inode))
            }
        }
    }

    /// Asks for the kind that a record did not tell; `nil` when the entry is gone by now.
    private func kindIfPresent(of name: String) throws(HostError) -> HostKind? {
        do {
            return try attributes(of: name).kind
        } catch let error where error.code == HostError.noSuchEntry {
            return nil
        }
    }
}
