package import Cryptography
private import Synchronization

/// What one read or write works with: a cipher context, a buffer of host pages, one page of payload.
///
/// A context holds a key schedule after use and the payload is plaintext, so workspaces count as
/// keys: those at rest are wiped at lock. A workspace is used by one thread at a time.
package final class Workspace: @unchecked Sendable {  // owned by whoever took it from the pool
    /// How many host pages the buffer holds: one host call moves up to 256 KiB.
    package static let pageCount = 64

    /// Seals and opens pages.
    let context: AEADContext
    /// Ciphertext, as read from or written to the host.
    var pages: [UInt8]
    /// One page's payload in the clear.
    var payload: [UInt8]
    /// The associated data of a page; its last twelve bytes change with each page.
    var associatedData: [UInt8] = []
    /// Random nonces for a run of pages.
    var nonces: [UInt8]

    /// Makes a workspace for a cipher.
    package init(_ algorithm: AEADAlgorithm) throws(CryptographyError) {
        context = try AEADContext(algorithm)
        pages = [UInt8](repeating: 0, count: Self.pageCount * PageLayout.pageByteCount)
        payload = [UInt8](repeating: 0, count: PageLayout.payloadByteCount)
        nonces = [UInt8](
            repeating: 0, count: Self.pageCount * AEADAlgorithm.nonceByteCount)
    }

    /// Forgets keys and plaintext.
    package func wipe() {
        context.wipe()
        Wipe.zero(&payload)
    }
}

/// Workspaces at rest.
package final class WorkspacePool: Sendable {
    private let idle = Mutex<[AEADAlgorithm: [Workspace]]>([:])

    /// More than this many are not kept.
    private static let countMaximum = 4

    /// Makes an empty pool.
    package init() {}

    /// Lends a workspace for a cipher.
    package func use<Result: ~Copyable>(
        _ algorithm: AEADAlgorithm, _ body: (Workspace) throws(ProtectionError) -> Result
    ) throws(ProtectionError) -> Result {
        let workspace: Workspace
        if let taken = idle.withLock({ $0[algorithm]?.popLast() }) {
            workspace = taken
        } else {
            workspace = try translating { () throws(CryptographyError) in
                try Workspace(algorithm)
            }
        }
        defer {
            idle.withLock { idle in
                if idle[algorithm, default: []].count < Self.countMaximum {
                    idle[algorithm, default: []].append(workspace)
                } else {
                    workspace.wipe()
                }
            }
        }
        return try body(workspace)
    }

    /// Wipes every workspace at rest, and forgets them.
    package func wipe() {
        let taken = idle.withLock { idle in
            defer { idle = [:] }
            return idle.values.flatMap { $0 }
        }
        for workspace in taken { workspace.wipe() }
    }
}
