@main
struct Seal {
    static func main() {}
}
