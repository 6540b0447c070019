#!/usr/bin/env bash
# Lets other people's tests loose on a mounted volume; as root.
#
#   scripts/mount-judges.sh [syscalls] [stress] [fio] [sqlite] [locks]     all without a name
#
# The volume lies on an ext4 in an image, so that nothing can fill the machine's disk. libfuse's
# test_syscalls is Debian's source package, fetched into .build/judges; nothing of it is kept.
# Needs: fuse3 e2fsprogs stress-ng fio sqlite3 gcc dpkg-dev git
set -euo pipefail
cd "$(dirname "$0")/.."
home=$PWD/.build/judges
mkdir -p "$home"
# DRIVER names one that is built already.
driver=${DRIVER:-}
if [ -z "$driver" ]; then
    swift build -c release --product MountDriver >&2
    driver=$(swift build -c release --show-bin-path)/MountDriver
fi

fetch() {
    ls -d "$home"/fuse3-*/ >/dev/null 2>&1 && return
    (
        cd "$home"
        mkdir -p lists/partial
        . /etc/os-release
        keyring=/usr/share/keyrings/debian-archive-keyring.gpg
        echo "deb-src [signed-by=$keyring] http://deb.debian.org/debian $VERSION_CODENAME main" >sources.list
        options=(-qq -o "Dir::Etc::SourceList=$home/sources.list" -o Dir::Etc::SourceParts=/dev/null
            -o "Dir::State::Lists=$home/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
        apt-get "${options[@]}" update
        apt-get "${options[@]}" source fuse3
    ) >&2
}

work=$(mktemp -d)
server=
leave() {
    umount -l "$work/mount" 2>/dev/null || true
    [ -z "$server" ] || wait "$server" 2>/dev/null || true
    umount "$work/disk" 2>/dev/null || umount -l "$work/disk" 2>/dev/null || true
    rm -rf "$work"
}
trap leave EXIT
mkdir "$work/disk" "$work/mount"
truncate -s 4G "$work/image"
mkfs.ext4 -q "$work/image"
mount -o loop "$work/image" "$work/disk"

serve() {
    mkdir "$work/disk/volume"
    "$driver" "$work/disk/volume" "$work/mount" --serve --test-suites >"$work/said" &
    server=$!
    until grep -q ready "$work/said"; do
        kill -0 "$server"
        sleep 0.1
    done
    mkdir "$work/mount/w"
}

syscalls() {
    fetch
    local source
    source=$(ls -d "$home"/fuse3-*/ | head -n 1)
    # What meson would find out; the tester needs nothing of it.
    : >"$home/fuse_config.h"
    gcc -O1 -w -D_GNU_SOURCE -I"$home" -I"$source/include" "$source/test/test_syscalls.c" -o "$home/test_syscalls"
    mkdir "$work/mount/syscalls"
    if "$home/test_syscalls" "$work/mount/syscalls" >"$work/syscalls.out" 2>&1; then
        echo "test_syscalls: 0 fail ($(grep -c OK "$work/syscalls.out") tests)"
    else
        grep -B1 -i -E 'fail|error' "$work/syscalls.out" || tail -n 20 "$work/syscalls.out"
        return 1
    fi
}

stress() {
    # The status is 0 also where a test does not apply to the machine.
    stress-ng --class filesystem --sequential 1 --timeout "${SECONDS_EACH:-2}" --verify \
        --temp-path "$work/mount/w" --metrics-brief >"$work/stress.out" 2>&1 || {
        grep -i -E 'fail|error' "$work/stress.out"
        return 1
    }
    echo "stress-ng: $(grep -E 'passed|failed:|skipped' "$work/stress.out" | sed 's/.*\] *//' | tr '\n' ';')"
}

checked() {
    local mode
    for mode in "--rw=randrw --bsrange=512-64k" "--rw=randwrite --bs=4k --fsync=64" "--rw=write --bs=1m --direct=1"; do
        # shellcheck disable=SC2086
        fio --name=verify --directory="$work/mount/w" $mode --size=32m --verify=crc32c --verify_fatal=1 \
            --verify_state_save=0 --end_fsync=1 --output="$work/fio.out" || { tail -n 20 "$work/fio.out"; return 1; }
        rm -f "$work"/mount/w/verify*
    done
    echo "fio: three patterns verified"
}

databases() {
    local mode said
    for mode in delete truncate wal; do
        said=$(sqlite3 "$work/mount/w/$mode.db" "PRAGMA journal_mode=$mode; CREATE TABLE t(a INTEGER PRIMARY KEY, b TEXT);
            WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
            INSERT INTO t SELECT i, hex(randomblob(40)) FROM n;
            UPDATE t SET b = b || 'x' WHERE a % 3 = 0; PRAGMA integrity_check; SELECT count(*) FROM t;")
        [ "$(echo $said)" = "$mode ok 20000" ] || { echo "sqlite $mode: $said"; return 1; }
    done
    echo "sqlite: ok in three journal modes"
}

failures=0
serve
for judge in ${*:-syscalls stress fio sqlite locks}; do
    case $judge in
        syscalls) syscalls || failures=$((failures + 1)) ;;
        stress) stress || failures=$((failures + 1)) ;;
        fio) checked || failures=$((failures + 1)) ;;
        sqlite) databases || failures=$((failures + 1)) ;;
        locks) scripts/mount-lock-cycles.py "$driver" "${CYCLES:-1000}" "$work/disk/locks" || failures=$((failures + 1)) ;;
        *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
    esac
done
exit $((failures > 0))
