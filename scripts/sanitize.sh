#!/usr/bin/env bash
# Runs tests under a sanitizer: scripts/sanitize.sh address|thread [FILTER…]
#
# Without a filter: all tests of the cryptography, the engine and its proofs that run in one process.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no
kind=${1:?address or thread}
shift
filters=("$@")
[ "${#filters[@]}" -gt 0 ] || filters=(CryptographyTests DataProtectionTests ProofTests)
arguments=()
for filter in "${filters[@]}"; do arguments+=(--filter "$filter"); done
swift build --build-tests --scratch-path ".build/$kind" "--sanitize=$kind"
swift test --skip-build --scratch-path ".build/$kind" "--sanitize=$kind" "${arguments[@]}"
