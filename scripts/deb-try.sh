#!/usr/bin/env bash
# Tries a package built by scripts/deb.sh: usage: deb-try.sh [--install] PACKAGE
# With --install it is installed by apt, as in a clean machine of CI, and removed again; else it is only unpacked. Nothing of
# a Swift toolchain is in reach of what is tried.
set -euo pipefail

root=
if [ "${1-}" = --install ]; then
    shift
    apt-get install -y -qq "$(realpath "$1")" >/dev/null
    trap 'apt-get remove -y -qq seal >/dev/null' EXIT
else
    root=$(mktemp -d)
    trap 'rm -rf "$root"' EXIT
    dpkg-deb -x "$1" "$root"
fi
scratch=$(mktemp -d)
chmod 700 "$scratch"

try() { env -i HOME="$scratch" XDG_RUNTIME_DIR="$scratch" PATH="$root/usr/bin:/usr/bin:/bin" "$@"; }
fail() { echo "deb-try: $*" >&2; exit 1; }

cd "$scratch"
for program in "$root/usr/bin/seal" "$root/usr/libexec/seal/seal-agent"; do
    if ldd "$program" | grep -E 'not found|libswift'; then fail "$program needs what is not there"; fi
done
try seal --version
echo 1234 > passcode
try seal init vault --passcode-file passcode --kdf interactive 2>/dev/null
echo letter | try seal put vault - letter --class complete --passcode-file passcode
[ "$(try seal get vault letter - --passcode-file passcode)" = letter ] || fail "what was put is not there"
man --warnings -l "$root/usr/share/man/man1/seal.1.gz" >/dev/null 2>&1 || gzip -t "$root/usr/share/man/man1/seal.1.gz"
bash -n "$root/usr/share/bash-completion/completions/seal"
[ -e "$root/usr/lib/systemd/user/seal@.service" ] || fail "no unit"

if [ -w /dev/fuse ]; then
    mkdir Vault
    try seal mount vault Vault --passcode-file passcode
    [ "$(cat Vault/letter)" = letter ] || fail "not in the mount"
    try seal lock
    if cat Vault/letter 2>/dev/null; then fail "read while locked"; fi
    try seal unlock --passcode-file passcode
    [ "$(cat Vault/letter)" = letter ] || fail "not readable after the unlock"
    try seal unmount
else
    echo "deb-try: there is no /dev/fuse: the mount was not tried"
fi
cd /
rm -rf "$scratch"
echo "deb-try: it works"
