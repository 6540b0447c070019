#!/usr/bin/env bash
# Runs tests under a sanitizer: scripts/sanitize.sh address|thread [FILTER…]
#
# Without a filter: the cryptography, the engine with its races, what the fuzzers kept, and a part of the
# comparison with a plain folder. Left out are the searches of a process's memory, since a sanitizer keeps
# what was freed, and the power cuts, which are one thread's and take an hour here. Databases, the outbox and
# the simulated device are run by name: DatabaseTests OutboxTests SimulatedDeviceTests ExplorerTests.
set -euo pipefail
cd "$(dirname "$0")/.."
kind=${1:-}
case "$kind" in address | thread) shift ;; *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;; esac

filters=("$@")
if [ "${#filters[@]}" -eq 0 ]; then
    filters=(CryptographyTests DataProtectionTests FuzzCorpusTests PlainFolderTests)
fi
arguments=()
for filter in "${filters[@]}"; do arguments+=(--filter "$filter"); done
for skipped in CutTests "A database.s pages in memory"; do arguments+=(--skip "$skipped"); done

build=${SCRATCH:-.build}/$kind
export SWIFT_BACKTRACE=enable=no MODEL_OPERATIONS=${MODEL_OPERATIONS:-20000}
swift build --build-tests --scratch-path "$build" "--sanitize=$kind"
if [ "$kind" = thread ]; then
    clang -shared -fPIC -O1 -Wall -Wextra -Werror -o "$build/libmutex.so" Tests/Sanitizers/mutex.c
    export LD_PRELOAD=$PWD/$build/libmutex.so
else
    export LSAN_OPTIONS=suppressions=$PWD/Tests/Sanitizers/leaks.txt:print_suppressions=0
fi
swift test --skip-build --scratch-path "$build" "--sanitize=$kind" "${arguments[@]}"
