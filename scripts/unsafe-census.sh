#!/usr/bin/env bash
# Prints how many lines of each source file say `unsafe`; the checked-in list is
# Tests/HouseRulesTests/unsafe-census.txt. A file with many is a file that should only translate.
set -euo pipefail
cd "$(dirname "$0")/.."
find Sources Examples -name '*.swift' | LC_ALL=C sort | while read -r file; do
    count=$(sed 's,//.*,,' "$file" | grep -cE '(^|[ (])unsafe( |$)' || true)
    if [ "$count" -gt 0 ]; then printf '%s\t%s\n' "$count" "$file"; fi
done
