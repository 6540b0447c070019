import DataProtection
import Glibc

/// Files by name, for programs that look at databases beside SQLite. A name means in the volume
/// what it means on the host: relative ones begin at the working folder.
enum SuiteFiles {
    static func path(_ name: UnsafePointer<CChar>?) -> String {
        let name = name.map { String(cString: $0) } ?? ""
        let whole = name.hasPrefix("/") ? name : workingFolder + "/" + name
        return whole.split(separator: "/").filter { $0 != "." }.map { "/" + $0 }.joined()
    }

    static var workingFolder: String {
        var buffer = [CChar](repeating: 0, count: 4096)
        return getcwd(&buffer, buffer.count).map { String(cString: $0) } ?? ""
    }

    /// Makes a folder in the volume, with all above it.
    static func makeFolder(_ folder: String, _ volume: ProtectedVolume) throws {
        var path = ""
        for part in folder.split(separator: "/") where part != "." {
            path += "/" + part
            if (try? volume.attributes(of: path)) == nil { try volume.makeFolder(path) }
        }
    }

    /// Runs a call on the volume; -1 when it is refused.
    static func ask(_ body: (ProtectedVolume) throws -> Int64) -> Int64 {
        guard let volume = try? SuiteVolume.volume() else { return -1 }
        return (try? body(volume)) ?? -1
    }
}

/// The size of a file, in bytes; -2 for a folder, -1 for nothing.
@_cdecl("suite_size")
public func suiteSize(_ name: UnsafePointer<CChar>?) -> Int64 {
    SuiteFiles.ask { volume in
        let attributes = try volume.attributes(of: SuiteFiles.path(name), followingLinks: true)
        return attributes.kind == .file ? attributes.size : -2
    }
}

/// Reads at an offset; how many bytes.
@_cdecl("suite_read")
public func suiteRead(
    _ name: UnsafePointer<CChar>?, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int64,
    _ offset: Int64
) -> Int64 {
    SuiteFiles.ask { volume in
        let file = try volume.openFile(SuiteFiles.path(name))
        let bytes = try file.read(at: offset, count: Int(count))
        buffer?.update(from: bytes, count: bytes.count)
        return Int64(bytes.count)
    }
}

/// Writes at an offset; makes the file when it is missing.
@_cdecl("suite_write")
public func suiteWrite(
    _ name: UnsafePointer<CChar>?, _ buffer: UnsafePointer<UInt8>?, _ count: Int64,
    _ offset: Int64
) -> Int64 {
    SuiteFiles.ask { volume in
        let file = try volume.openFile(SuiteFiles.path(name), [.readWrite, .create])
        try file.write(Array(UnsafeBufferPointer(start: buffer, count: Int(count))), at: offset)
        return count
    }
}

/// Cuts or extends a file; makes it when it is missing.
@_cdecl("suite_truncate")
public func suiteTruncate(_ name: UnsafePointer<CChar>?, _ size: Int64) -> Int64 {
    SuiteFiles.ask { volume in
        try volume.openFile(SuiteFiles.path(name), [.readWrite, .create]).truncate(to: size)
        return 0
    }
}

/// Removes a file or an empty folder.
@_cdecl("suite_remove")
public func suiteRemove(_ name: UnsafePointer<CChar>?) -> Int64 {
    SuiteFiles.ask { volume in
        let path = SuiteFiles.path(name)
        if try volume.attributes(of: path).kind == .folder {
            try volume.removeFolder(path)
        } else {
            try volume.removeFile(path)
        }
        return 0
    }
}

/// Makes a folder, with all above it.
@_cdecl("suite_make_folder")
public func suiteMakeFolder(_ name: UnsafePointer<CChar>?) -> Int64 {
    SuiteFiles.ask { volume in
        try SuiteFiles.makeFolder(SuiteFiles.path(name), volume)
        return 0
    }
}

/// Gives a file another name.
@_cdecl("suite_rename")
public func suiteRename(_ old: UnsafePointer<CChar>?, _ new: UnsafePointer<CChar>?) -> Int64 {
    SuiteFiles.ask { volume in
        try volume.rename(SuiteFiles.path(old), to: SuiteFiles.path(new))
        return 0
    }
}

/// The names in a folder, one a line; how many bytes there are.
@_cdecl("suite_list")
public func suiteList(
    _ name: UnsafePointer<CChar>?, _ buffer: UnsafeMutablePointer<UInt8>?, _ count: Int64
) -> Int64 {
    SuiteFiles.ask { volume in
        let names = try volume.list(SuiteFiles.path(name)).map(\.name)
        let text = Array(names.joined(separator: "\n").utf8)
        guard text.count <= count else { return -1 }
        buffer?.update(from: text, count: text.count)
        return Int64(text.count)
    }
}
