import Foundation

/// The project's own files, read as text.
struct SourceTree {
    /// The project's folder.
    static let root = URL(fileURLWithPath: #filePath)
        .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()

    /// One text file.
    struct File {
        /// Its path from the project's folder.
        let path: String
        /// Its lines.
        let lines: [Substring]
    }

    /// The files below a folder that end in `.ending`, without build products.
    static func files(_ folder: String, ending: String) throws -> [File] {
        let base = root.appendingPathComponent(folder)
        let found = FileManager.default.enumerator(atPath: base.path)
        var files: [File] = []
        while let path = found?.nextObject() as? String {
            guard path.hasSuffix("." + ending), !path.contains(".build/") else { continue }
            let url = base.appendingPathComponent(path)
            guard let text = try? String(contentsOf: url, encoding: .utf8) else { continue }
            files.append(
                File(
                    path: folder.isEmpty ? path : "\(folder)/\(path)",
                    lines: text.split(separator: "\n", omittingEmptySubsequences: false)))
        }
        return files.sorted { $0.path < $1.path }
    }

    /// The library, and the examples that people copy.
    static func library() throws -> [File] {
        try files("Sources", ending: "swift") + files("Examples", ending: "swift")
    }

    /// The lines of a checked-in list, without empty ones.
    static func list(_ path: String) throws -> [String] {
        try String(contentsOf: root.appendingPathComponent(path), encoding: .utf8)
            .split(separator: "\n").map(String.init)
    }
}

extension SourceTree.File {
    /// The functions of the file with their lengths in lines, found by indentation: swift-format
    /// sees to it that a function's closing brace stands under its first word.
    var functionLengths: [(line: Int, count: Int)] {
        var found: [(Int, Int)] = []
        for (index, line) in lines.enumerated() {
            let indent = line.prefix { $0 == " " }
            let words = line.dropFirst(indent.count).split(separator: " ")
            guard words.contains("func") || words.contains(where: { $0.hasPrefix("init(") }) else {
                continue
            }
            guard !words[0].hasPrefix("//"), !words[0].hasPrefix("try") else { continue }
            let closing = lines[index...].firstIndex { $0 == indent + "}" }
            if let closing { found.append((index + 1, closing - index + 1)) }
        }
        return found
    }
}
