#!/usr/bin/env bash
# Builds a Debian package of `seal` with the Swift runtime inside, SCRATCH/deb/seal_VERSION_ARCH.deb.
# usage: deb.sh [SCRATCH], the folder that swift build works in: .build
# What the programs need of Debian is found out from what they are linked with.
set -euo pipefail
cd "$(dirname "$0")/.."

scratch=${1:-.build}
flags=(--scratch-path "$scratch" -c release --static-swift-stdlib -Xlinker -z -Xlinker now)
for product in seal seal-agent; do swift build "${flags[@]}" --product "$product"; done
built=$(swift build "${flags[@]}" --show-bin-path)

version=$("$built/seal" --version | sed 's/^seal //')
architecture=$(dpkg --print-architecture)
out=$scratch/deb
tree=$out/tree
rm -rf "$tree" "$out"/seal_*.deb
install -d "$tree/DEBIAN"
install -D -m 755 --strip "$built/seal" "$tree/usr/bin/seal"
install -D -m 755 --strip "$built/seal-agent" "$tree/usr/libexec/seal/seal-agent"
install -D -m 644 packaging/seal@.service "$tree/usr/lib/systemd/user/seal@.service"

share=$tree/usr/share
install -d "$share/man/man1" "$share/bash-completion/completions" "$share/zsh/vendor-completions" \
    "$share/fish/vendor_completions.d" "$share/doc/seal"
"$built/seal" help --man | gzip -9n > "$share/man/man1/seal.1.gz"
"$built/seal" help --completion bash > "$share/bash-completion/completions/seal"
"$built/seal" help --completion zsh > "$share/zsh/vendor-completions/_seal"
"$built/seal" help --completion fish > "$share/fish/vendor_completions.d/seal.fish"
install -m 644 docs/agent.md docs/cli.md docs/classes.md docs/copies.md SECURITY.md "$share/doc/seal/"
gzip -9nc CHANGELOG.md > "$share/doc/seal/changelog.gz"
install -m 644 LICENSE "$share/doc/seal/copyright"

# The packages of the libraries that each program is linked with.
libraries=$(for program in usr/bin/seal usr/libexec/seal/seal-agent; do
    objdump -p "$tree/$program" | awk '$1 == "NEEDED" { print $2 }'
done | sort -u)
packages=$(for library in $libraries; do
    file=$(ldconfig -p | awk -v name="$library" '$1 == name { print $NF; exit }')
    # dpkg knows a file under /usr, or under the link that leads there.
    for name in "$file" "$(readlink -f "$file")" "/usr$file"; do
        dpkg -S "$name" 2>/dev/null && break
    done | sed 's/:.*//' | head -n 1
done | sort -u)
depends=$(for package in $packages; do
    if [ "$package" = libc6 ]; then
        echo "libc6 (>= $(dpkg-query -W -f '${Version}' libc6 | sed 's/-.*//'))"
    else
        echo "$package"
    fi
done | paste -sd, | sed 's/,/, /g')

cat > "$tree/DEBIAN/control" <<CONTROL
Package: seal
Version: $version
Architecture: $architecture
Maintainer: The swift-data-protection project <maintainers@invalid>
Section: utils
Priority: optional
Installed-Size: $(du -sk "$tree" | cut -f1)
Depends: $depends, fuse3
Recommends: pinentry-gnome3 | pinentry
Description: folders whose files are sealed when you lock the screen
 An encrypted volume in a folder. Each file has a protection class that decides when its key exists: only while
 unlocked, after the first unlock, or always. Any program uses the files; when the session locks, the keys are gone.
CONTROL

package=$out/seal_${version}_$architecture.deb
dpkg-deb --root-owner-group --build "$tree" "$package"
