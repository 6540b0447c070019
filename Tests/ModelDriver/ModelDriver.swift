import FolderModel
import Glibc

/// Compares a volume with a plain folder, as long as it is told.
@main
struct ModelDriver {
    static func main() {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let seed = UInt64(arguments[1]), let count = Int(arguments[2])
        else {
            print("usage: ModelDriver SEED OPERATIONS FOLDER")
            exit(64)
        }
        let trial = ModelTrial(seed: seed, operationCount: count, folder: arguments[3])
        do {
            try trial.run { done in
                guard done % 500_000 < ModelTrial.sequenceCount else { return }
                print("\(done) operations")
                fflush(nil)
            }
            print("\(count) operations from seed \(seed) as user \(getuid()): no difference")
        } catch {
            print("\(error)")
            exit(1)
        }
    }
}
