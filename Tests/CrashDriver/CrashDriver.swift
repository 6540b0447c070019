/// A program that embeds the library and lets a test say what it does next.
@main
struct CrashDriver {
    static func main() {}
}
