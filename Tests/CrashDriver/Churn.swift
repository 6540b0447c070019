import DataProtection
import Glibc

/// Replaces files, changes classes and passcodes, over and over, until it is killed.
struct Churn {
    private let place: Place
    static let passcodes = ["one", "two"]

    init(_ place: Place) { self.place = place }

    func run() throws(ProtectionError) {
        var (volume, passcode) = try place.open(Self.passcodes)
        try volume.write(Self.content(0), to: "put")
        try volume.write(Self.content(0), to: "class", class: .complete)
        if (try? volume.attributes(of: "still")) == nil {
            try volume.write(Self.content(9), to: "still")
        }
        Talk.say("ready")
        var round = 0
        while true {
            round += 1
            try volume.write(Self.content(round % 5), to: "put")
            let asked: ProtectionClass = round % 2 == 0 ? .complete : .none
            try volume.setProtectionClass(asked, of: "class")
            let next = passcode == "one" ? "two" : "one"
            try volume.changePasscode(
                from: Passcode(passcode), to: Passcode(next), cost: Place.cost)
            passcode = next
            if round % 7 == 0 {
                try volume.close()
                (volume, passcode) = try place.open([passcode])
            }
        }
    }

    /// One of several contents, each of another length.
    static func content(_ number: Int) -> [UInt8] {
        [UInt8](repeating: UInt8(65 + number), count: 100 + number * 6000)
    }
}

/// Says in JSON what a volume holds after a crash.
struct Checker {
    private let place: Place

    init(_ place: Place) { self.place = place }

    func run(_ what: [String]) throws(ProtectionError) {
        switch what.first {
        case "churn": try checkChurn()
        case "blocks": try Blocks(place).check()
        case "files": try Blocks(place).checkFiles(count: Int(what[1])!)
        default: try Blocks(place).checkFolders()
        }
    }

    /// Prints the passcode that works, or what is wrong.
    private func checkChurn() throws(ProtectionError) {
        let (volume, passcode) = try place.open(Churn.passcodes)
        let put = try volume.read("put")
        guard (0..<5).contains(where: { Churn.content($0) == put }) else {
            return print("put is neither old nor new")
        }
        guard try volume.read("class") == Churn.content(0) else { return print("class is damaged") }
        guard try volume.read("still") == Churn.content(9) else { return print("still is damaged") }
        let found = try volume.protectionClass(of: "class")
        guard found == .complete || found == ProtectionClass.none else {
            return print("the class is \(String(describing: found))")
        }
        let other = Churn.passcodes.first { $0 != passcode }!
        if (try? volume.unlock(passcode: Passcode(other))) != nil { return print("both work") }
        let names = try volume.list().map(\.name)
        guard names == ["class", "put", "still"] else { return print("names \(names)") }
        try volume.close()
        print("fine \(passcode)")
    }
}
