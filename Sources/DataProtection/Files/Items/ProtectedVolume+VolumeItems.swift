internal import Synchronization

/// A volume that this process has open.
extension ProtectedVolume: VolumeItems {
    func open(
        _ path: String, _ options: OpenOptions, class protectionClass: ProtectionClass?,
        mode: UInt32
    ) throws(ProtectionError) -> any OpenFile {
        try openFile(path, options, class: protectionClass, mode: mode)
    }

    func replace(
        _ path: String, class protectionClass: ProtectionClass?, mode: UInt32?, rule: RenameRule,
        _ fill: (any OpenFile) throws(ProtectionError) -> Void
    ) throws(ProtectionError) -> ProtectionError? {
        try replacing(path, class: protectionClass, mode: mode, rule: rule) {
            file throws(ProtectionError) in
            try fill(file)
        }
    }

    /// A host without attributes has none to lose.
    func copyUserAttributes(of source: String, to target: String) throws(ProtectionError) {
        do throws(ProtectionError) {
            for name in try userAttributeNames(of: source) {
                guard let value = try userAttribute(name, of: source) else { continue }
                try setUserAttribute(name, to: value, of: target)
            }
        } catch {
            guard error.code == .notSupported else { throw error }
        }
    }

    var newFileClass: ProtectionClass? { defaultClass }
}

extension ProtectedFile: OpenFile {
    /// A host without attributes has none to lose.
    func copyUserAttributes(to copy: any OpenFile) throws(ProtectionError) {
        guard let copy = copy as? ProtectedFile else { return }
        let source = inode.state.withLock { $0.file.userAttributes }
        let target = copy.inode.state.withLock { $0.file.userAttributes }
        do throws(ProtectionError) {
            try SealedAttributes(
                host: source, core: inode.core, metadata: try inode.core.keyring.metadata()
            ).copy(to: target)
        } catch {
            guard error.code == .notSupported else { throw error }
        }
    }
}
