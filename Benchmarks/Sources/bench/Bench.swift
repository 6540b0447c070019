/// Prints one table for each question. Ratios are medians of pairs within one run.
@main
struct Bench {
    static func main() async throws {
        let arguments = Array(CommandLine.arguments.dropFirst())
        switch arguments.first {
        case "sequential": try Sequential.run(pairCount: 7)
        case "locking": try Locking.run(rounds: 7)
        case "profile": try Profile.run(arguments[1], rounds: Int(arguments[2])!)
        case "cipher": Cipher.run(mebibyteCount: Int(arguments[1])!)
        case "many": try Many.run(path: arguments[1], fileCount: Int(arguments[2])!)
        case "pages": try Pages.run(folder: arguments.dropFirst().first, rounds: 7)
        case "files":
            try Files.run(folder: arguments[1], count: Int(arguments[2])!, rounds: 3)
        case "outbox":
            try await Outbox.run(folder: arguments[1], count: Int(arguments[2])!, rounds: 7)
        case "database": try Database.run(folder: arguments[1], rounds: 7)
        case "database-profile":
            try Database.profile(
                folder: arguments[1], what: arguments[2], isPlain: arguments[3] == "plain")
        default:
            print(
                "usage: bench sequential | locking | pages [FOLDER] | cipher MIB "
                    + "| many FOLDER COUNT | files FOLDER COUNT | outbox FOLDER COUNT "
                    + "| database FOLDER")
        }
    }
}
