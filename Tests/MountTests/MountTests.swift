import ProtectedMount
import Testing

@Suite("Mount")
struct MountTests {
    @Test func `options begin with one user who may write`() {
        let options = ProtectedMount.Options()
        #expect(!options.allowOther && !options.readOnly)
    }
}
