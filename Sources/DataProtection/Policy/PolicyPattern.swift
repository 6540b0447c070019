/// Which paths a kind of file has: names with `*`, `?` and `**`.
///
/// - `*` stands for any part of one name, `?` for one byte of it, `**` for any number of folders.
/// - A pattern with `/` begins at the top folder: `Captures/**`, `Library/*.sqlite`.
/// - One without is about the last name, wherever it is: `*.pdf`.
///
/// Case counts, as in the volume's names.
public struct PolicyPattern: Sendable, Hashable {
    /// The pattern as it is written.
    public let text: String
    private let parts: [[UInt8]]

    /// Reads a pattern; `nil` for one that is empty, or has an empty name, `.` or `..` in it.
    public init?(_ text: String) {
        var parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
            .map(Array.init)
        let isAnchored = parts.count > 1
        if isAnchored, parts.first == [] { parts.removeFirst() }
        let unusable: [[UInt8]] = [[], Array(".".utf8), Array("..".utf8)]
        guard !parts.isEmpty, !parts.contains(where: unusable.contains) else { return nil }
        self.text = text
        self.parts = isAnchored ? parts : [Self.anyFolders] + parts
    }

    private static let anyFolders = Array("**".utf8)

    /// Whether a path in the volume is meant.
    public func matches(_ path: String) -> Bool {
        matches(path.utf8.split(separator: UInt8(ascii: "/")).map(Array.init))
    }

    /// Whether a path is meant, name by name.
    func matches(_ names: [[UInt8]]) -> Bool {
        Self.match(parts[...], names[...]) { part, name in
            part == Self.anyFolders ? .any : Self.matches(part[...], name[...]) ? .one : .no
        }
    }

    private enum Step { case any, one, no }

    /// Matches a sequence with one kind of element that stands for any number; never looks back
    /// further than the last of those, so that no pattern takes long.
    private static func match<Part, Item>(
        _ parts: ArraySlice<Part>, _ items: ArraySlice<Item>, _ step: (Part, Item) -> Step
    ) -> Bool {
        var (part, item) = (parts.startIndex, items.startIndex)
        var resume: (part: Int, item: Int)?
        while item < items.endIndex {
            let found = part < parts.endIndex ? step(parts[part], items[item]) : .no
            switch found {
            case .any:
                resume = (part, item)
                part += 1
            case .one:
                part += 1
                item += 1
            case .no:
                guard let back = resume else { return false }
                part = back.part + 1
                item = back.item + 1
                resume = (back.part, back.item + 1)
            }
        }
        // What is left must stand for nothing.
        while part < parts.endIndex {
            guard let any = items.last.map({ step(parts[part], $0) }) else {
                return false
            }
            guard case .any = any else { return false }
            part += 1
        }
        return true
    }

    private static func matches(_ pattern: ArraySlice<UInt8>, _ name: ArraySlice<UInt8>) -> Bool {
        match(pattern, name) { part, byte in
            switch part {
            case UInt8(ascii: "*"): .any
            case UInt8(ascii: "?"): .one
            default: part == byte ? .one : .no
            }
        }
    }
}
