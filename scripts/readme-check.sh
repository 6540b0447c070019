#!/usr/bin/env bash
# Does what README.md says, in a fresh folder: builds and runs the consumer program, pastes the first
# screen's session. Fails when either does not do what the README promises.
set -euo pipefail
cd "$(dirname "$0")/.."
project=$PWD
place=$(mktemp -d)
trap 'rm -rf "$place"' EXIT

# The n-th code block of a language, or the one after a marker line.
block_after() { awk -v mark="$1" '$0 ~ mark {found=1; next} found && /^```/ {if (inside) exit; inside=1; next} inside' README.md; }

ln -s "$project" "$place/swift-data-protection"
mkdir -p "$place/Notes/Sources/Notes"
block_after '^<!-- consumer: Package.swift' >"$place/Notes/Package.swift"
block_after '^<!-- consumer: Sources/Notes/main.swift' >"$place/Notes/Sources/Notes/main.swift"
lines=$(grep -c . "$place/Notes/Sources/Notes/main.swift")
[ "$lines" -le 15 ] || { echo "README: the program has $lines lines, not 15" >&2; exit 1; }
(cd "$place/Notes" && swift build && "$(swift build --show-bin-path)/Notes") | tee "$place/output"
printf 'sealed: unlock with the passcode\nonly while unlocked\n' >"$place/expected"
tail -n 2 "$place/output" | diff "$place/expected" -
rm -rf "$place/Notes/.build"

# The program for people from iOS: the same package, with one product more.
mkdir -p "$place/Pocket/Sources/Pocket"
block_after '^<!-- consumer: Package.swift' | sed -e 's/Notes/Pocket/' \
    -e 's/\(\.product(name: \)"DataProtection"\(, package: [^)]*)\)/&, \1"SimulatedDevice"\2/' \
    >"$place/Pocket/Package.swift"
block_after '^<!-- consumer: Sources/Pocket/main.swift' >"$place/Pocket/Sources/Pocket/main.swift"
lines=$(grep -c . "$place/Pocket/Sources/Pocket/main.swift")
[ "$lines" -le 15 ] || { echo "README: the program has $lines lines, not 15" >&2; exit 1; }
(cd "$place/Pocket" && swift build && "$(swift build --show-bin-path)/Pocket") | tee "$place/output"
printf 'locked: true\nfor me alone\n' >"$place/expected"
tail -n 2 "$place/output" | diff "$place/expected" -
rm -rf "$place/Pocket/.build"

# The first screen, pasted into a shell that reads lines as a terminal does.
block_after '^\*\*iOS' | sed 's/^make demo.*/true/' >"$place/session"
export PATH="$project/.build/release:$PATH"
sed -i "s,\\\$PWD/.build/release,$project/.build/release," "$place/session"
(cd "$place" && HOME="$place" XDG_DATA_HOME= bash "$place/session") >"$place/screen" 2>&1 || true
cat "$place/screen"
grep -q 'capture.txt' "$place/screen" && grep -q 'health.txt' "$place/screen"
grep -q 'seal: ' "$place/screen"
tail -n 1 "$place/screen" | grep -qx 'blood pressure 120/80'
echo "README: the programs and the first screen do what they say"
