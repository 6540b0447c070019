import DataProtection
import Testing

/// Something that is done to a file of one class, as the truth tables name it.
enum Deed: Hashable, CustomTestStringConvertible {
    case createExplicit, createInFolder, createHandleUse, createHandleCut, reopenAfterCreating
    case openRead, openWrite, openTruncate, openSecond, truncateByPath, replaceWhole, copy
    case handleRead, handleWrite, handleCut, handleSync, handleClose
    case status, list, classRead, rename, delete
    case change(to: ProtectionClass)
    case changeHandle(to: ProtectionClass)

    var testDescription: String {
        switch self {
        case .change(let target): "change to \(target.letter)"
        case .changeHandle(let target): "change to \(target.letter) on a handle"
        default: "\(self)"
        }
    }
}

/// What the four states answer to a deed: `✓` done, `✗` sealed, `-` cannot arise.
struct TruthRow {
    let deed: Deed
    private let cells: [Character]

    init(_ deed: Deed, _ cells: String) {
        self.deed = deed
        self.cells = cells.filter { $0 != " " }
        precondition(self.cells.count == 4)
    }

    /// The columns, in order.
    static let states: [LockState] = [.beforeFirstUnlock, .unlocked, .grace, .locked]

    /// What is expected; `nil` when it cannot arise.
    func expected(in state: LockState) -> Outcome? {
        switch cells[Self.states.firstIndex(of: state)!] {
        case "✓": .done
        case "✗": .sealed
        default: nil
        }
    }
}

/// Apple's truth tables. Columns: before first unlock, unlocked, grace, locked.
///
/// Mappings, and the SIGBUS of touching one, need a mount and are tested there.
enum TruthTable {
    static func rows(_ protectionClass: ProtectionClass) -> [TruthRow] {
        switch protectionClass {
        case .complete: complete
        case .completeUnlessOpen: completeUnlessOpen
        case .completeUntilFirstUserAuthentication: untilFirstUnlock
        case .none: none
        }
    }

    /// In every state, whatever the class.
    private static let always = [
        TruthRow(.status, "✓ ✓ ✓ ✓"), TruthRow(.list, "✓ ✓ ✓ ✓"),
        TruthRow(.classRead, "✓ ✓ ✓ ✓"), TruthRow(.rename, "✓ ✓ ✓ ✓"),
        TruthRow(.delete, "✓ ✓ ✓ ✓"),
    ]

    private static let complete =
        always + [
            TruthRow(.createExplicit, "✗ ✓ ✓ ✗"),
            TruthRow(.createInFolder, "✗ ✓ ✓ ✗"),
            TruthRow(.openRead, "✗ ✓ ✓ ✗"),
            TruthRow(.openWrite, "✗ ✓ ✓ ✗"),
            TruthRow(.openTruncate, "✗ ✓ ✓ ✗"),
            TruthRow(.openSecond, "- ✓ ✓ ✗"),
            TruthRow(.truncateByPath, "✗ ✓ ✓ ✗"),
            TruthRow(.replaceWhole, "✗ ✓ ✓ ✗"),
            TruthRow(.copy, "✗ ✓ ✓ ✗"),
            TruthRow(.handleRead, "- ✓ ✓ ✗"),
            TruthRow(.handleWrite, "- ✓ ✓ ✗"),
            TruthRow(.handleCut, "- ✓ ✓ ✗"),
            TruthRow(.handleSync, "- ✓ ✓ ✓"),
            TruthRow(.handleClose, "- ✓ ✓ ✓"),
            TruthRow(.change(to: .complete), "✓ ✓ ✓ ✓"),
            TruthRow(.change(to: .completeUnlessOpen), "✗ ✓ ✓ ✗"),
            TruthRow(.change(to: .completeUntilFirstUserAuthentication), "✗ ✓ ✓ ✗"),
            TruthRow(.change(to: .none), "✗ ✓ ✓ ✗"),
            TruthRow(.changeHandle(to: .none), "- ✓ ✓ ✗"),
        ]

    private static let completeUnlessOpen =
        always + [
            TruthRow(.createExplicit, "✓ ✓ ✓ ✓"),
            TruthRow(.createInFolder, "✓ ✓ ✓ ✓"),
            TruthRow(.createHandleUse, "✓ ✓ ✓ ✓"),
            TruthRow(.createHandleCut, "✓ ✓ ✓ ✓"),
            TruthRow(.reopenAfterCreating, "✗ ✓ ✓ ✗"),
            TruthRow(.openRead, "✗ ✓ ✓ ✗"),
            TruthRow(.openWrite, "✗ ✓ ✓ ✗"),
            TruthRow(.openTruncate, "✗ ✓ ✓ ✗"),
            TruthRow(.openSecond, "- ✓ ✓ ✗"),
            TruthRow(.truncateByPath, "✗ ✓ ✓ ✗"),
            TruthRow(.replaceWhole, "✓ ✓ ✓ ✓"),
            TruthRow(.copy, "✗ ✓ ✓ ✗"),
            TruthRow(.handleRead, "- ✓ ✓ ✓"),
            TruthRow(.handleWrite, "- ✓ ✓ ✓"),
            TruthRow(.handleCut, "- ✓ ✓ ✓"),
            TruthRow(.handleSync, "- ✓ ✓ ✓"),
            TruthRow(.handleClose, "- ✓ ✓ ✓"),
            TruthRow(.change(to: .complete), "✗ ✓ ✓ ✗"),
            TruthRow(.change(to: .completeUnlessOpen), "✓ ✓ ✓ ✓"),
            TruthRow(.change(to: .completeUntilFirstUserAuthentication), "✗ ✓ ✓ ✗"),
            TruthRow(.change(to: .none), "✗ ✓ ✓ ✗"),
            TruthRow(.changeHandle(to: .complete), "- ✓ ✓ ✗"),
            TruthRow(
                .changeHandle(to: .completeUntilFirstUserAuthentication), "- ✓ ✓ ✗"),
            TruthRow(.changeHandle(to: .none), "- ✓ ✓ ✗"),
        ]

    private static let untilFirstUnlock =
        always + [
            TruthRow(.createExplicit, "✗ ✓ ✓ ✓"),
            TruthRow(.createInFolder, "✗ ✓ ✓ ✓"),
            TruthRow(.openRead, "✗ ✓ ✓ ✓"),
            TruthRow(.openWrite, "✗ ✓ ✓ ✓"),
            TruthRow(.openTruncate, "✗ ✓ ✓ ✓"),
            TruthRow(.openSecond, "- ✓ ✓ ✓"),
            TruthRow(.truncateByPath, "✗ ✓ ✓ ✓"),
            TruthRow(.replaceWhole, "✗ ✓ ✓ ✓"),
            TruthRow(.copy, "✗ ✓ ✓ ✓"),
            TruthRow(.handleRead, "- ✓ ✓ ✓"),
            TruthRow(.handleWrite, "- ✓ ✓ ✓"),
            TruthRow(.handleCut, "- ✓ ✓ ✓"),
            TruthRow(.handleSync, "- ✓ ✓ ✓"),
            TruthRow(.handleClose, "- ✓ ✓ ✓"),
            TruthRow(.change(to: .complete), "✗ ✓ ✓ ✗"),
            TruthRow(.change(to: .completeUnlessOpen), "✗ ✓ ✓ ✓"),
            TruthRow(.change(to: .completeUntilFirstUserAuthentication), "✓ ✓ ✓ ✓"),
            TruthRow(.change(to: .none), "✗ ✓ ✓ ✓"),
            TruthRow(.changeHandle(to: .completeUnlessOpen), "- ✓ ✓ ✓"),
        ]

    private static let none =
        always + [
            TruthRow(.createExplicit, "✓ ✓ ✓ ✓"),
            TruthRow(.createInFolder, "✓ ✓ ✓ ✓"),
            TruthRow(.createHandleUse, "✓ ✓ ✓ ✓"),
            TruthRow(.createHandleCut, "✓ ✓ ✓ ✓"),
            TruthRow(.reopenAfterCreating, "✓ ✓ ✓ ✓"),
            TruthRow(.openRead, "✓ ✓ ✓ ✓"),
            TruthRow(.openWrite, "✓ ✓ ✓ ✓"),
            TruthRow(.openTruncate, "✓ ✓ ✓ ✓"),
            TruthRow(.openSecond, "✓ ✓ ✓ ✓"),
            TruthRow(.truncateByPath, "✓ ✓ ✓ ✓"),
            TruthRow(.replaceWhole, "✓ ✓ ✓ ✓"),
            TruthRow(.copy, "✓ ✓ ✓ ✓"),
            TruthRow(.handleRead, "✓ ✓ ✓ ✓"),
            TruthRow(.handleWrite, "✓ ✓ ✓ ✓"),
            TruthRow(.handleCut, "✓ ✓ ✓ ✓"),
            TruthRow(.handleSync, "✓ ✓ ✓ ✓"),
            TruthRow(.handleClose, "✓ ✓ ✓ ✓"),
            TruthRow(.change(to: .complete), "✗ ✓ ✓ ✗"),
            TruthRow(.change(to: .completeUnlessOpen), "✓ ✓ ✓ ✓"),
            TruthRow(.change(to: .completeUntilFirstUserAuthentication), "✗ ✓ ✓ ✓"),
            TruthRow(.change(to: .none), "✓ ✓ ✓ ✓"),
            TruthRow(.changeHandle(to: .completeUnlessOpen), "✓ ✓ ✓ ✓"),
        ]
}
