/// Permission bits for a reader.
enum Mode {
    /// Nine letters, as `ls -l` shows them.
    static func text(_ mode: UInt32) -> String {
        let letters = Array("rwxrwxrwx")
        return String(
            letters.indices.map { mode & (0o400 >> UInt32($0)) != 0 ? letters[$0] : "-" })
    }
}

/// Times for a reader.
enum UTCTime {
    /// Seconds since 1970 as `2026-01-31T12:00:00Z`.
    ///
    /// The date is counted in the years that begin in March, where the leap day is the last.
    static func text(_ seconds: Int64) -> String {
        let day = Int64((Double(seconds) / 86400).rounded(.down))
        let second = seconds - day * 86400
        let shifted = day + 719_468  // days since 1 March of year 0
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let year = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * year + year / 4 - year / 100)
        let month = (5 * dayOfYear + 2) / 153
        let calendarMonth = month < 10 ? month + 3 : month - 9
        let date = [
            two(year + era * 400 + (calendarMonth <= 2 ? 1 : 0)), two(calendarMonth),
            two(dayOfYear - (153 * month + 2) / 5 + 1),
        ]
        let time = [two(second / 3600), two(second / 60 % 60), two(second % 60)]
        return date.joined(separator: "-") + "T" + time.joined(separator: ":") + "Z"
    }

    private static func two(_ number: Int64) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
