/// A host name as the host compares it: byte for byte, whatever Unicode calls equal.
package struct HostNameKey: Hashable, Sendable {
    /// The name.
    package let name: String

    /// Wraps a name.
    package init(_ name: String) {
        self.name = name
    }

    package static func == (left: HostNameKey, right: HostNameKey) -> Bool {
        left.name.utf8.elementsEqual(right.name.utf8)
    }

    package func hash(into hasher: inout Hasher) {
        // Names that are equal byte for byte are equal strings, so the string's hash will do.
        hasher.combine(name)
    }
}

extension HostNameKey: ExpressibleByStringLiteral {
    package init(stringLiteral name: String) {
        self.init(name)
    }
}
