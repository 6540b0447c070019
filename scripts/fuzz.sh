#!/usr/bin/env bash
# Feeds parts of the library with arbitrary bytes under libFuzzer.
#
#   scripts/fuzz.sh TARGET SECONDS [OPTION…]   one target; options are libFuzzer's (-runs=…)
#   scripts/fuzz.sh all SECONDS [OPTION…]      each of them so long, after their whole corpus
#   scripts/fuzz.sh minimise                   makes the kept corpus as small as it can be
#
# What is found new goes to Fuzz/.build/corpus/TARGET, what fails to Fuzz/.build/findings.
# SANITIZE=address looks for wrong memory accesses as well.
set -euo pipefail
cd "$(dirname "$0")/.."
export SWIFT_BACKTRACE=enable=no

sanitize=fuzzer${SANITIZE:+,$SANITIZE}
build=Fuzz/.build/${sanitize//,/-}
program=$build/fuzz
swift build --package-path Fuzz --scratch-path "$build" -c release -Xswiftc "-sanitize=$sanitize" >&2
if [ ! -e "$program" ] || [ "$build/release/libFuzz.a" -nt "$program" ]; then
    swiftc "-sanitize=$sanitize" -o "$program" -Xlinker --whole-archive "$build/release/libFuzz.a" \
        -Xlinker --no-whole-archive $(pkg-config --libs libcrypto libsodium sqlite3) 2>&1 | grep -v 'local symbol' >&2 || true
fi

targets=$(FUZZ_TARGET=list "$program" -runs=0 2>&1 | sed -n 's/^targets: //p')
python3 Fuzz/make_seeds.py Fuzz/.build/corpus
findings=Fuzz/.build/findings
mkdir -p "$findings"

fuzz() {
    local target=$1 seconds=$2
    shift 2
    mkdir -p "Fuzz/.build/corpus/$target" "Fuzz/Corpus/$target"
    FUZZ_TARGET=$target "$program" -max_total_time="$seconds" -artifact_prefix="$findings/$target-" \
        -print_final_stats=1 -rss_limit_mb=4096 "$@" \
        "Fuzz/.build/corpus/$target" "Fuzz/Corpus/$target" >"$findings/$target.log" 2>&1 || {
        tail -n 40 "$findings/$target.log" >&2
        echo "$target: something was found; see $findings" >&2
        return 1
    }
    printf '%s: %s executions, %s\n' "$target" \
        "$(sed -n 's/^stat::number_of_executed_units: *//p' "$findings/$target.log")" \
        "$(grep -oE 'cov: [0-9]+ ft: [0-9]+' "$findings/$target.log" | tail -n 1)"
}

minimise() {
    local target
    for target in $targets; do
        local smaller
        smaller=$(mktemp -d)
        FUZZ_TARGET=$target "$program" -merge=1 "$smaller" "Fuzz/Corpus/$target" \
            "Fuzz/.build/corpus/$target" >/dev/null 2>&1
        rm -rf "Fuzz/Corpus/$target"
        mv "$smaller" "Fuzz/Corpus/$target"
        chmod 755 "Fuzz/Corpus/$target"
        chmod 644 "Fuzz/Corpus/$target"/* 2>/dev/null || true
    done
}

case "${1:-}" in
    minimise) minimise ;;
    all)
        shift
        for target in $targets; do fuzz "$target" "$@"; done
        ;;
    '') sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
    *) fuzz "$@" ;;
esac
