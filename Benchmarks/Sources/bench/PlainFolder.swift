import Glibc

/// The same work in a plain folder, by system calls alone.
struct PlainFolder {
    let path: String

    /// Makes the folder.
    init(_ path: String) {
        self.path = path
        check(mkdir(path, 0o700), "mkdir")
    }

    /// Makes a file and writes it.
    func create(_ name: String, _ bytes: [UInt8]) {
        let file = check(open(path + "/" + name, O_WRONLY | O_CREAT | O_EXCL, 0o600), "open")
        check(write(file, bytes, bytes.count), "write")
        close(file)
    }

    /// Makes a file so that it is there as a whole after a power cut, or not at all.
    func createDurably(_ name: String, _ bytes: [UInt8]) {
        let temporary = path + "/.new"
        let file = check(open(temporary, O_WRONLY | O_CREAT | O_EXCL, 0o600), "open")
        check(write(file, bytes, bytes.count), "write")
        check(fsync(file), "fsync")
        close(file)
        check(rename(temporary, path + "/" + name), "rename")
        let folder = check(open(path, O_RDONLY | O_DIRECTORY), "open")
        check(fsync(folder), "fsync")
        close(folder)
    }

    /// Asks for a file's attributes.
    func stat(_ name: String) {
        var status = Glibc.stat()
        check(lstat(path + "/" + name, &status), "lstat")
    }

    /// Lists the folder and asks for no attributes.
    func list() -> Int {
        guard let folder = opendir(path) else { fatalError("opendir") }
        defer { closedir(folder) }
        var count = 0
        while let entry = readdir(folder) {
            if entry.pointee.d_name.0 != 46 { count += 1 }
        }
        return count
    }

    /// Reads a whole file.
    func read(_ name: String, _ count: Int) {
        let file = check(open(path + "/" + name, O_RDONLY), "open")
        var bytes = [UInt8](repeating: 0, count: count)
        check(Glibc.read(file, &bytes, count), "read")
        close(file)
    }

    /// Removes a file.
    func remove(_ name: String) { check(unlink(path + "/" + name), "unlink") }

    /// Opens a file for reading and writing, and makes it if it is missing.
    func openFile(_ name: String) -> PlainFile {
        PlainFile(number: check(open(path + "/" + name, O_RDWR | O_CREAT, 0o600), "open"))
    }
}

/// An open file of a plain folder.
struct PlainFile: Sendable {
    let number: Int32

    /// Writes at an offset.
    func write(_ bytes: [UInt8], at offset: Int) {
        check(pwrite(number, bytes, bytes.count, offset), "pwrite")
    }

    /// Reads at an offset, into memory that is new each time, as the library's call does.
    func read(at offset: Int, count: Int) {
        var bytes = [UInt8](repeating: 0, count: count)
        check(pread(number, &bytes, count, offset), "pread")
    }
}

/// Ends the run where the machine does not do what is measured.
@discardableResult
private func check<Value: SignedInteger>(_ value: Value, _ call: String) -> Value {
    if value < 0 { fatalError("\(call): error \(errno)") }
    return value
}
