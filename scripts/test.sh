#!/usr/bin/env bash
# Runs the whole test suite, and fails on a skipped test that is not listed with its reason in
# Tests/allowed-skips.txt (one line each: the test's name as printed, a tab, the reason).
set -euo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
export SWIFT_BACKTRACE=${SWIFT_BACKTRACE:-enable=no}

swift build --build-tests
status=0
swift test --skip-build "$@" 2>&1 | tee "$log" || status=$?

skipped=$(sed -nE 's/^[^ ]+ (Test|Suite) (.+) skipped(: .*|\.)?$/\2/p' "$log" | sort -u)
unlisted=0
while IFS= read -r name; do
    [ -n "$name" ] || continue
    if ! cut -f1 Tests/allowed-skips.txt | grep -Fxq -- "$name"; then
        echo "skipped without a listed reason: $name" >&2
        unlisted=1
    fi
done <<<"$skipped"

if [ "$status" -ne 0 ]; then exit "$status"; fi
if ! grep -Eq 'Test run with [1-9][0-9]* tests? .*passed' "$log"; then
    echo "no test ran" >&2
    exit 1
fi
exit "$unlisted"
