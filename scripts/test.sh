#!/usr/bin/env bash
# Runs the whole test suite, and fails on a skipped test that is not listed with its reason in
# Tests/allowed-skips.txt: the test's name as printed, or * for any, a tab, the reason as printed.
set -euo pipefail
cd "$(dirname "$0")/.."

log=$(mktemp)
trap 'rm -f "$log"' EXIT
export SWIFT_BACKTRACE=${SWIFT_BACKTRACE:-enable=no}

swift build --build-tests
status=0
swift test --skip-build "$@" 2>&1 | tee "$log" || status=$?

# Each line: the test's name as printed, a tab, the reason as printed.
skipped=$(sed -nE \
    -e 's/^[^ ]+ (Test|Suite) (.+) (skipped|was cancelled)( after [0-9.]+ seconds)?: "(.*)"$/\2\t\5/p' \
    -e 's/^[^ ]+ (Test|Suite) (.+) (skipped|was cancelled)( after [0-9.]+ seconds)?\.?$/\2\tno reason/p' \
    -e 's/^[^ ]+ (Test case passing .+) (was cancelled)( after [0-9.]+ seconds)?: "(.*)"$/\1\t\4/p' \
    -e 's/^[^ ]+:[0-9]+: ([^ ]+) : Test skipped - (.*)$/\1\t\2/p' \
    "$log" | sort -u)
unlisted=0
while IFS=$'\t' read -r name reason; do
    [ -n "$name" ] || continue
    if ! grep -Fxq -e "$name	$reason" -e "*	$reason" Tests/allowed-skips.txt; then
        echo "skipped without a listed reason: $name: $reason" >&2
        unlisted=1
    fi
done <<<"$skipped"

if [ "$status" -ne 0 ]; then exit "$status"; fi
if ! grep -Eq 'Test run with [1-9][0-9]* tests? .*passed' "$log"; then
    echo "no test ran" >&2
    exit 1
fi
exit "$unlisted"
