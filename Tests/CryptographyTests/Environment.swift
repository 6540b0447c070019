import Glibc

/// The value of a variable of the environment, or nil where it is not set.
func environment(_ name: String) -> String? {
    getenv(name).map { String(cString: $0) }
}

/// Makes the rest of this process an ordinary user with a limit on locked memory, in bytes.
///
/// Only for exit tests: there is no way back.
func becomeOrdinaryUser(lockedMemoryLimit: Int) {
    var limit = rlimit(rlim_cur: rlim_t(lockedMemoryLimit), rlim_max: rlim_t(lockedMemoryLimit))
    precondition(setrlimit(__rlimit_resource_t(8), &limit) == 0, "RLIMIT_MEMLOCK can be lowered")
    guard getuid() == 0 else { return }
    precondition(setgroups(0, nil) == 0 && setgid(65534) == 0 && setuid(65534) == 0)
}

/// A value of `/proc/self/status` in kilobytes, for example of `VmLck`.
func processStatus(_ name: String) -> Int {
    guard let file = fopen("/proc/self/status", "r") else { return -1 }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 256)
    while fgets(&line, 256, file) != nil {
        let text = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        guard text.hasPrefix(name + ":") else { continue }
        return Int(text.filter(\.isNumber)) ?? -1
    }
    return -1
}

/// Limits how much this process may map, in bytes. Only for exit tests.
func limitAddressSpace(to byteCount: Int) {
    var limit = rlimit(rlim_cur: rlim_t(byteCount), rlim_max: rlim_t(byteCount))
    precondition(setrlimit(__rlimit_resource_t(9), &limit) == 0, "RLIMIT_AS can be lowered")
}

/// The kernel's flags of the mapping at an address, from `/proc/self/smaps`.
func memoryFlags(at address: UInt) -> Set<Substring> {
    guard let file = fopen("/proc/self/smaps", "r") else { return [] }
    defer { fclose(file) }
    var line = [CChar](repeating: 0, count: 4096)
    var isInside = false
    while fgets(&line, 4096, file) != nil {
        let text = line.withUnsafeBufferPointer { String(cString: $0.baseAddress!) }
        let words = text.split(whereSeparator: \.isWhitespace)
        guard let first = words.first else { continue }
        let bounds = first.split(separator: "-").compactMap { UInt($0, radix: 16) }
        if bounds.count == 2 { isInside = bounds[0] <= address && address < bounds[1] }
        if isInside, first == "VmFlags:" { return Set(words.dropFirst()) }
    }
    return []
}

/// Whether a sanitizer runs: it makes `mlock(2)` do nothing and maps terabytes of its own.
///
/// ThreadSanitizer also reports races inside `Mutex`, whose runtime it does not see.
let isSanitized = dlsym(nil, "__asan_init") != nil || dlsym(nil, "__tsan_init") != nil
