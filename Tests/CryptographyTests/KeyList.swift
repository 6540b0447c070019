import Cryptography

/// Many keys: an array cannot hold values that have one owner.
struct KeyList: ~Copyable {
    private final class Box {
        let key: SecretKey
        init(_ key: consuming SecretKey) { self.key = key }
    }

    private var boxes: [Box] = []

    mutating func append(_ key: consuming SecretKey) {
        boxes.append(Box(key))
    }

    mutating func removeAll() {
        boxes = []
    }

    func all(_ isRight: (borrowing SecretKey) -> Bool) -> Bool {
        boxes.allSatisfy { isRight($0.key) }
    }
}
