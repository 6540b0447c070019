internal import Cryptography
private import Synchronization

/// What one read or write works with: a cipher context, a buffer of host pages, one page of
/// payload.
///
/// A context holds a key schedule after use and the payload is plaintext, so workspaces count as
/// keys: those at rest are wiped at lock. A workspace is used by one thread at a time.
///
/// Buffers are taken out while they are used, so that the compiler sees that none is used twice.
struct Workspace: Sendable {
    /// How many host pages the buffer holds: one host call moves up to 256 KiB.
    static let pageCount = 64

    /// Seals and opens pages.
    let context: AEADContext
    /// The associated data of a page; its last twelve bytes change with each page.
    var associatedData: [UInt8] = []
    /// The file whose key the context holds. A new key always comes with a new file identifier.
    var keyedFile: [UInt8] = []
    private var pages: [UInt8]
    private var oldPage: [UInt8]
    private var payload: [UInt8]
    private var nonces: [UInt8]

    /// Makes a workspace for a cipher.
    init(_ algorithm: AEADAlgorithm) throws(CryptographyError) {
        context = try AEADContext(algorithm)
        pages = [UInt8](repeating: 0, count: Self.pageCount * PageLayout.pageByteCount)
        oldPage = [UInt8](repeating: 0, count: PageLayout.pageByteCount)
        payload = [UInt8](repeating: 0, count: PageLayout.payloadByteCount)
        nonces = [UInt8](repeating: 0, count: Self.pageCount * AEADAlgorithm.nonceByteCount)
    }

    /// Forgets the key; plaintext is never left in it.
    mutating func wipe() {
        context.wipe()
        keyedFile = []
    }

    /// Takes the buffer for a run of host pages.
    mutating func takePages() -> [UInt8] { Self.take(&pages) }

    /// Gives the buffer for host pages back.
    mutating func give(_ buffer: inout [UInt8]) { swap(&buffer, &pages) }

    /// Takes the buffer for one host page, apart from the run.
    mutating func takeOldPage() -> [UInt8] { Self.take(&oldPage) }

    /// Gives the buffer for one host page back.
    mutating func give(oldPage buffer: inout [UInt8]) { swap(&buffer, &oldPage) }

    /// Takes the buffer for one page's plaintext; it is all zeros.
    mutating func takePayload() -> [UInt8] { Self.take(&payload) }

    /// Gives the buffer for plaintext back, wiped.
    mutating func give(payload buffer: inout [UInt8]) {
        Wipe.zero(&buffer)
        swap(&buffer, &payload)
    }

    /// Takes fresh random nonces for so many pages.
    mutating func takeNonces(_ count: Int) -> [UInt8] {
        var taken = Self.take(&nonces)
        var span = taken.mutableSpan
        var needed = span._mutatingExtracting(0..<count * AEADAlgorithm.nonceByteCount)
        SecureRandom.fill(&needed)
        return taken
    }

    /// Gives the buffer for nonces back.
    mutating func give(nonces buffer: inout [UInt8]) { swap(&buffer, &nonces) }

    private static func take(_ buffer: inout [UInt8]) -> [UInt8] {
        var taken: [UInt8] = []
        swap(&taken, &buffer)
        return taken
    }
}

/// Workspaces at rest.
final class WorkspacePool: Sendable {
    private let idle = Mutex<[Workspace]>([])

    /// More than this many are not kept.
    private static let countMaximum = 4

    /// Lends a workspace for a cipher: the one that has a file's key already, if there is one.
    ///
    /// - Parameter file: the file's identifier.
    func use<Result: ~Copyable>(
        _ algorithm: AEADAlgorithm, for file: [UInt8],
        _ body: (inout Workspace) throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result {
        var workspace: Workspace
        if let taken = idle.withLock({ Self.take(from: &$0, algorithm, file) }) {
            workspace = taken
        } else {
            workspace = try translating { () throws(CryptographyError) in
                try Workspace(algorithm)
            }
        }
        defer {
            idle.withLock { idle in
                if idle.count < Self.countMaximum {
                    idle.append(workspace)
                } else {
                    workspace.wipe()
                }
            }
        }
        return try body(&workspace)
    }

    /// Takes a workspace that need not be keyed anew, else one without a key. A database and its
    /// log take turns, so another file's is taken only when there are enough.
    private static func take(
        from idle: inout [Workspace], _ algorithm: AEADAlgorithm, _ file: [UInt8]
    ) -> Workspace? {
        let index =
            idle.lastIndex { $0.keyedFile == file }
            ?? idle.firstIndex { $0.keyedFile.isEmpty && $0.context.algorithm == algorithm }
            ?? (idle.count < countMaximum
                ? nil : idle.firstIndex { $0.context.algorithm == algorithm })
        return index.map { idle.remove(at: $0) }
    }

    /// Wipes every workspace at rest; they stay for the next use.
    func wipe() {
        idle.withLock { idle in
            for index in idle.indices { idle[index].wipe() }
        }
    }
}
