#!/usr/bin/env bash
# Tries a package built by scripts/deb.sh: usage: deb-try.sh [--install] PACKAGE
# With --install it is installed by apt, as in a clean machine of CI, and removed again; else it is only unpacked. Nothing of
# a Swift toolchain is in reach of what is tried.
set -euo pipefail

root=
scratch=$(mktemp -d)
chmod 700 "$scratch"

try() { env -i HOME="$scratch" XDG_RUNTIME_DIR="$scratch" PATH="$root/usr/bin:/usr/bin:/bin" "$@"; }
as_root() { if [ "$(id -u)" = 0 ]; then env DEBIAN_FRONTEND=noninteractive "$@"; else sudo DEBIAN_FRONTEND=noninteractive "$@"; fi; }
fail() { echo "deb-try: $*" >&2; exit 1; }
# However it ends, nothing stays mounted, running or installed.
clean() {
    cd /
    if mountpoint -q "$scratch/Vault"; then try seal unmount --force "$scratch/Vault" || umount -l "$scratch/Vault"; fi
    if [ -n "$root" ]; then
        rm -rf "$root"
    elif [ -n "${installs-}" ]; then
        as_root apt-get remove -y -qq seal >/dev/null
        if [ -e /usr/bin/seal ]; then fail "the package does not go away"; fi
    fi
    rm -rf "$scratch"
}
trap clean EXIT

isInstalled=
if [ "${1-}" = --install ]; then
    isInstalled=yes
    shift
fi
[ "$#" = 1 ] && [ -f "$1" ] || fail "usage: deb-try.sh [--install] PACKAGE"
if [ -n "$isInstalled" ]; then
    [ ! -e /usr/bin/seal ] || fail "another seal is installed here"
    installs=yes
    # Only what it depends on: what is recommended brings a desktop's libraries.
    as_root apt-get install -y -qq --no-install-recommends "$(realpath "$1")" >/dev/null
else
    root=$(mktemp -d)
    dpkg-deb -x "$1" "$root"
fi

cd "$scratch"
for program in "$root/usr/bin/seal" "$root/usr/libexec/seal/seal-agent"; do
    [ -x "$program" ] || fail "$program is not there"
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
    if mountpoint -q Vault; then fail "still mounted"; fi
else
    echo "deb-try: there is no /dev/fuse: the mount was not tried"
fi
echo "deb-try: it works"
