#!/usr/bin/env bash
# Installs the Debian packages that are missing, for: build, test. Says what it does; needs root or sudo
# only if something is missing.
set -euo pipefail

build_packages=(libssl-dev libsodium-dev libsqlite3-dev libfuse3-dev libsystemd-dev pkg-config)
# Programs that the tests start, and the independent reader's Python modules.
test_packages=(
    attr bash dbus e2fsprogs emacs-nox file fish fuse3 git groff-base libpam-wrapper mount nano pamtester procps
    python3 python3-argon2 python3-cryptography python3-dbusmock python3-pycryptodome rclone rsync sqlite3 util-linux
    vim zsh
)

wanted=()
for set in "$@"; do
    case "$set" in
        build) wanted+=("${build_packages[@]}") ;;
        test) wanted+=("${test_packages[@]}") ;;
        *) echo "install-packages: unknown set $set" >&2; exit 2 ;;
    esac
done

missing=()
for package in "${wanted[@]}"; do
    status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null || true)
    [ "$status" = installed ] || missing+=("$package")
done
if [ "${#missing[@]}" -eq 0 ]; then exit 0; fi

as_root=()
if [ "$(id -u)" -ne 0 ]; then
    if ! command -v sudo >/dev/null; then
        echo "these Debian packages are missing: ${missing[*]}" >&2
        echo "install them as root: apt-get install ${missing[*]}" >&2
        exit 1
    fi
    as_root=(sudo)
fi
echo "installing: ${missing[*]}"
"${as_root[@]}" apt-get update -qq
DEBIAN_FRONTEND=noninteractive "${as_root[@]}" apt-get install -y -qq "${missing[@]}" >/dev/null
