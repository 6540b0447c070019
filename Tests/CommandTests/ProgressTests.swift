import Testing
import seal

@Suite struct ProgressTests {
    @Test func `how far something is, how fast, and how long the rest may take`() {
        #expect(
            Progress.line(
                byteCount: 10 << 20, of: 100 << 20, entryCount: 7, of: 70, seconds: 2)
                == "7 of 70 entries, 10.0 MiB of 100.0 MiB, 5.0 MiB/s, 18 s left")
        #expect(
            Progress.line(byteCount: 1 << 30, of: 1 << 42, entryCount: nil, of: nil, seconds: 1)
                == "1.0 GiB of 4.0 TiB, 1.0 GiB/s, 69 min left")
        #expect(
            Progress.line(byteCount: 1 << 20, of: 1 << 40, entryCount: nil, of: nil, seconds: 1)
                == "1.0 MiB of 1.0 TiB, 1.0 MiB/s, 292 h left")
        #expect(
            Progress.line(byteCount: 2048, of: nil, entryCount: 3, of: nil, seconds: 2)
                == "3 entries, 2.0 KiB, 1.0 KiB/s")
        #expect(
            Progress.line(byteCount: 0, of: 10, entryCount: nil, of: nil, seconds: 2)
                == "0 bytes of 10 bytes, 0 bytes/s")
    }
}
