import DataProtection

/// One thing that a workload does to a volume.
enum CutOperation: Sendable, CustomStringConvertible {
    case create(String, ProtectionClass?)
    case write(String, offset: Int, count: Int)
    case append(String, count: Int)
    case truncate(String, size: Int)
    case rewrite(String, count: Int)
    case syncFile(String)
    case syncFolder(String)
    case rename(String, to: String)
    case remove(String)
    case makeFolder(String, ProtectionClass?)
    case removeFolder(String)
    case setClass(String, ProtectionClass)
    case replace(String, count: Int, ProtectionClass?)
    case punchHole(String, offset: Int, count: Int)
    case exchange(String, String)
    case link(String, to: String)
    case setMode(String, UInt32)
    case restart

    var description: String {
        switch self {
        case .create(let path, let asked): "create \(Self.short(path)) \(asked?.name ?? "")"
        case .write(let path, let offset, let count):
            "write \(Self.short(path)) at \(offset), \(count) bytes"
        case .append(let path, let count): "append to \(Self.short(path)), \(count) bytes"
        case .truncate(let path, let size): "truncate \(Self.short(path)) to \(size)"
        case .rewrite(let path, let count): "empty \(Self.short(path)), write \(count) bytes"
        case .syncFile(let path): "sync \(Self.short(path))"
        case .syncFolder(let path): "sync folder /\(path)"
        case .rename(let path, let target):
            "rename \(Self.short(path)) to \(Self.short(target))"
        case .remove(let path): "remove \(Self.short(path))"
        case .makeFolder(let path, let asked): "make folder \(path) \(asked?.name ?? "")"
        case .removeFolder(let path): "remove folder \(path)"
        case .setClass(let path, let asked): "class of \(Self.short(path)): \(asked)"
        case .restart: "close and open again"
        case .punchHole(let path, let offset, let count):
            "hole in \(Self.short(path)) at \(offset), \(count) bytes"
        case .exchange(let path, let other):
            "exchange \(Self.short(path)) and \(Self.short(other))"
        case .link(let path, let target): "link \(Self.short(path)) to \(Self.short(target))"
        case .setMode(let path, let mode):
            "mode of \(Self.short(path)): \(String(mode, radix: 8))"
        case .replace(let path, let count, let asked):
            "replace \(Self.short(path)), \(count) bytes \(asked?.name ?? "")"
        }
    }

    private static func short(_ path: String) -> String {
        path.utf8.count > 40 ? "\(path.prefix(8))…" : path
    }
}

extension CutOperation {
    /// Draws an operation that makes sense for the tree as it is.
    static func random(
        in tree: CutTree, sizes: (Int) -> Int, using generator: inout some RandomNumberGenerator
    ) -> CutOperation {
        let folders = tree.folderPaths
        let folder = folders.randomElement(using: &generator) ?? ""
        let name = ["a", "b", "c", longName].randomElement(using: &generator)!
        let free = folder.isEmpty ? name : "\(folder)/\(name)"
        let asked: ProtectionClass? =
            Bool.random(using: &generator)
            ? nil : ProtectionClass.allCases.randomElement(using: &generator)
        let count = counts.randomElement(using: &generator)!
        guard let file = tree.filePaths.randomElement(using: &generator) else {
            return .create(free, asked)
        }
        let size = sizes(tree.files[file]!)
        switch Int.random(in: 0..<48, using: &generator) {
        case 0..<4: return tree.files[free] == nil ? .create(free, asked) : .syncFile(file)
        case 4..<9:
            return .write(
                file, offset: Int.random(in: 0...size, using: &generator), count: count)
        case 9..<14: return .append(file, count: count)
        case 14..<17:
            return .truncate(file, size: Int.random(in: 0...max(1, size), using: &generator))
        case 17: return .truncate(file, size: size + count)
        case 18: return .write(file, offset: size + 80_000, count: 50)
        case 19..<21: return .rewrite(file, count: count)
        case 21..<26: return .syncFile(file)
        case 26..<28: return .syncFolder(folder)
        case 28..<31: return file == free ? .syncFolder(folder) : .rename(file, to: free)
        case 31: return .remove(file)
        case 32..<34:
            let path = ["d", "e", "d/f"].randomElement(using: &generator)!
            return .makeFolder(path, asked)
        case 34: return .removeFolder(folder)
        case 35: return .rename("d", to: "e")
        case 36..<38:
            return .setClass(file, ProtectionClass.allCases.randomElement(using: &generator)!)
        case 38: return folder.isEmpty ? .syncFile(file) : .setClass(folder, asked ?? .complete)
        case 39: return .restart
        case 40..<43:
            return .punchHole(
                file, offset: Int.random(in: 0...size, using: &generator), count: count)
        case 43:
            return .exchange(file, tree.filePaths.randomElement(using: &generator)!)
        case 44: return .exchange("d", Bool.random(using: &generator) ? "e" : file)
        case 45: return .link(file, to: free)
        case 46: return .setMode(file, [0o200, 0o400, 0o600].randomElement(using: &generator)!)
        default: return .replace(free, count: count, asked)
        }
    }

    /// Few bytes, a page, some pages.
    private static let counts = [1, 30, 700, 3540, 3541, 4052, 5000, 9000, 14_000]
    /// A name that needs a link of its own on the host.
    static let longName = String(repeating: "long", count: 50)
}
