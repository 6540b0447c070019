/// What a request of the kernel says and libfuse 3.14 does not pass on. See: 'linux/fuse.h'.
struct RequestExtras {
    /// The kind of request.
    let operation: UInt32
    /// Whether set-user-ID and set-group-ID bits are to be taken away with it: the caller may not
    /// write and keep them.
    let clearsPrivileges: Bool
    /// Whether the kernel leaves that to file systems; said in its first request.
    let offersClearing: Bool

    /// Whether it may wait for the disk, or moves so much that another thread is to read meanwhile.
    let mayTakeLong: Bool

    private enum Operation {
        static let setAttributes: UInt32 = 4
        static let open: UInt32 = 14
        static let read: UInt32 = 15
        static let write: UInt32 = 16
        static let synchronize: UInt32 = 20
        static let initialize: UInt32 = 26
        static let synchronizeFolder: UInt32 = 30
        static let create: UInt32 = 35
        static let allocate: UInt32 = 43
    }

    /// Where fields are, in bytes: behind the head of 40.
    private enum Field {
        static let setAttributesValid = 40
        static let openFlags = 44
        /// The size of a read and of a write.
        static let size = 56
        static let createFlags = 52
        static let initializeFlags = 52
        static let writeFlags = 60
    }

    private enum Flag {
        static let setAttributes: UInt32 = 1 << 11
        static let open: UInt32 = 1 << 0
        static let write: UInt32 = 1 << 2
    }

    /// FUSE_HANDLE_KILLPRIV_V2: without it the kernel asks for `security.capability` at each write.
    static let clearingFlag: UInt32 = 1 << 28

    /// None.
    init() {
        operation = 0
        clearsPrivileges = false
        offersClearing = false
        mayTakeLong = false
    }

    private static let shortByteCount: UInt32 = 32768

    /// Reads a request's head.
    init(_ bytes: UnsafeRawBufferPointer) {
        func field(_ offset: Int) -> UInt32 {
            guard bytes.count >= offset + 4 else { return 0 }
            return unsafe bytes.loadUnaligned(fromByteOffset: offset, as: UInt32.self)
        }
        operation = field(4)
        switch operation {
        case Operation.write: clearsPrivileges = field(Field.writeFlags) & Flag.write != 0
        case Operation.setAttributes:
            clearsPrivileges = field(Field.setAttributesValid) & Flag.setAttributes != 0
        case Operation.open: clearsPrivileges = field(Field.openFlags) & Flag.open != 0
        case Operation.create: clearsPrivileges = field(Field.createFlags) & Flag.open != 0
        default: clearsPrivileges = false
        }
        switch operation {
        case Operation.read, Operation.write:
            mayTakeLong = field(Field.size) > Self.shortByteCount
        case Operation.synchronize, Operation.synchronizeFolder, Operation.allocate:
            mayTakeLong = true
        default: mayTakeLong = false
        }
        offersClearing =
            operation == Operation.initialize
            && field(Field.initializeFlags) & Self.clearingFlag != 0
    }
}
