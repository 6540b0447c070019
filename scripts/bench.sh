#!/usr/bin/env bash
# Runs every benchmark and prints its tables. Ratios are medians of pairs in one run; quote those, not
# single times. FOLDER (default: a new one in the working folder) is where files are written.
set -euo pipefail
cd "$(dirname "$0")/.."
swift build -c release --product seal -Xlinker -z -Xlinker now
swift build -c release --package-path Benchmarks
bench=Benchmarks/.build/release/bench
folder=$(mktemp -d "${FOLDER:-$PWD}/bench.XXXXXX")
trap 'rm -rf "$folder"' EXIT

printf '\n# Sequential, in memory, one thread\n\n'; $bench sequential
printf '\n# Lock and unlock\n\n'; $bench locking
printf '\n# Pages\n\n'; $bench pages "$folder"
rm -rf "${folder:?}"/*
printf '\n# Files against a plain folder\n\n'; $bench files "$folder" "${FILES:-100000}"
rm -rf "${folder:?}"/*
printf '\n# put and get\n\n'
/usr/bin/python3 Benchmarks/transfer.py .build/release/seal $bench "$folder" \
    "${MEBIBYTES:-1024}" "${PAIRS:-5}" "${BIG_MEBIBYTES:-8192}" "${FILES:-100000}"
if [ "$(id -u)" = 0 ] && [ -e /dev/fuse ]; then
    printf '\n# A mounted volume\n\n'
    swift build -c release --product MountDriver
    /usr/bin/python3 Benchmarks/mount.py .build/release/MountDriver
fi
