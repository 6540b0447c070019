#!/usr/bin/env bash
# Builds the documentation with the toolchain's docc, without a network, into .build/documentation.
# Fails on a link that leads nowhere, and on a parameter that is left out.
set -euo pipefail
cd "$(dirname "$0")/.."

modules=(DataProtection ProtectedDatabase ProtectedDataNotifications SimulatedDevice DataProtectionTesting)
for module in "${modules[@]}"; do swift build --target "$module"; done
products=$(swift build --show-bin-path)
target=$(swift -print-target-info | sed -nE 's/^ *"unversionedTriple": "(.*)",$/\1/p' | head -n 1)
clang_modules=()
for map in Sources/CLibraries/*/module.modulemap; do clang_modules+=(-Xcc "-fmodule-map-file=$map"); done

rm -rf .build/documentation .build/documentation-symbols
for module in "${modules[@]}"; do
    symbols=.build/documentation-symbols/$module
    mkdir -p "$symbols" .build/documentation
    swift symbolgraph-extract -module-name "$module" -I "$products/Modules" "${clang_modules[@]}" \
        -target "$target" -minimum-access-level public -skip-synthesized-members -output-dir "$symbols"
    catalogue=()
    if [ -d "Sources/$module/Documentation.docc" ]; then catalogue=("Sources/$module/Documentation.docc"); fi
    docc convert ${catalogue[@]+"${catalogue[@]}"} --additional-symbol-graph-dir "$symbols" \
        --fallback-display-name "$module" --fallback-bundle-identifier "$module" \
        --warnings-as-errors --output-path ".build/documentation/$module"
done
echo "documentation: .build/documentation"
