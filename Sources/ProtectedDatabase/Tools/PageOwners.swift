/// Which tables and indexes the pages of a database belong to: goes down the trees that SQLite's
/// file format describes (https://www.sqlite.org/fileformat2.html), around what cannot be read.
struct PageOwners {
    private let pages: DatabasePages
    private let usableByteCount: Int
    private var owners: [Int64: String] = [:]

    init(_ pages: DatabasePages) {
        self.pages = pages
        let reserved = pages.page(1).map { Int($0[20]) } ?? 0
        usableByteCount = max(480, pages.pageByteCount - reserved)
    }

    /// The owner of a page; `nil` for one that no tree was found to lead to: a free one, or one
    /// below another that cannot be read.
    func owner(of page: Int64) -> String? { owners[page] }

    /// Goes down a tree.
    mutating func add(_ name: String, root: Int64) {
        var waiting = [root]
        while let number = waiting.popLast() {
            guard number > 0, number <= pages.count, owners[number] == nil else { continue }
            owners[number] = name
            guard let page = pages.page(number) else { continue }
            let start = number == 1 ? 100 : 0
            let cells = Self.number(page, start + 3, byteCount: 2)
            let isInterior = page[start] == 2 || page[start] == 5
            let array = start + (isInterior ? 12 : 8)
            if isInterior { waiting.append(Int64(Self.number(page, start + 8, byteCount: 4))) }
            for index in 0..<cells where array + 2 * index + 2 <= page.count {
                let cell = Self.number(page, array + 2 * index, byteCount: 2)
                guard cell >= array, cell + 4 <= page.count else { continue }
                if isInterior { waiting.append(Int64(Self.number(page, cell, byteCount: 4))) }
                if let overflow = overflow(of: cell, kind: page[start], page) {
                    addChain(name, from: overflow)
                }
            }
        }
    }

    private mutating func addChain(_ name: String, from first: Int64) {
        var number = first
        while number > 0, number <= pages.count, owners[number] == nil {
            owners[number] = name
            guard let page = pages.page(number) else { return }
            number = Int64(Self.number(page, 0, byteCount: 4))
        }
    }

    /// The first overflow page of a cell; `nil` when all of it is on the page.
    private func overflow(of cell: Int, kind: UInt8, _ page: [UInt8]) -> Int64? {
        guard kind != 5 else { return nil }  // it has a key and a child, no payload
        var place = kind == 2 ? cell + 4 : cell
        guard let payload = Self.variable(page, &place) else { return nil }
        if kind == 13 { guard Self.variable(page, &place) != nil else { return nil } }
        let most = kind == 13 ? usableByteCount - 35 : (usableByteCount - 12) * 64 / 255 - 23
        guard payload > UInt64(most) else { return nil }
        let least = (usableByteCount - 12) * 32 / 255 - 23
        let rest = (payload - UInt64(least)) % UInt64(usableByteCount - 4)
        let onPage = least + Int(rest)
        let end = place + (onPage <= most ? onPage : least)
        guard end + 4 <= page.count else { return nil }
        return Int64(Self.number(page, end, byteCount: 4))
    }

    private static func number(_ page: [UInt8], _ place: Int, byteCount: Int) -> Int {
        page[place..<place + byteCount].reduce(0) { $0 << 8 | Int($1) }
    }

    /// A number of one to nine bytes.
    private static func variable(_ page: [UInt8], _ place: inout Int) -> UInt64? {
        var value: UInt64 = 0
        for index in 0..<9 {
            guard place < page.count else { return nil }
            let byte = page[place]
            place += 1
            if index == 8 { return value << 8 | UInt64(byte) }
            value = value << 7 | UInt64(byte & 0x7F)
            if byte & 0x80 == 0 { return value }
        }
        return value
    }
}
