#!/usr/bin/env bash
# Runs SQLite's own test programs on its layer for Unix and on a volume, and compares.
#
#   scripts/sqlite-suites.sh                 everything
#   scripts/sqlite-suites.sh build           only fetches and builds
#   scripts/sqlite-suites.sh speedtest1 | kvtest | threadtest3 | closing_race
#   scripts/sqlite-suites.sh tcl [FILE…]     its Tcl tests; without names those of docs/databases-suites.md
#
# SQLite's sources are Debian's source package, fetched into .build/sqlite; nothing of it is kept.
set -euo pipefail
cd "$(dirname "$0")/.."
root=$PWD
home=$root/.build/sqlite
build=$home/build
programs=$root/SQLiteSuites/Programs
mkdir -p "$home"

fetch() {
    ls -d "$home"/sqlite3-*/ >/dev/null 2>&1 && return
    (
        cd "$home"
        mkdir -p lists/partial
        . /etc/os-release
        keyring=/usr/share/keyrings/debian-archive-keyring.gpg
        echo "deb-src [signed-by=$keyring] http://deb.debian.org/debian $VERSION_CODENAME main" >sources.list
        options=(-qq -o "Dir::Etc::SourceList=$home/sources.list" -o Dir::Etc::SourceParts=/dev/null
            -o "Dir::State::Lists=$home/lists" -o Dir::Cache::pkgcache= -o Dir::Cache::srcpkgcache=)
        apt-get "${options[@]}" update
        apt-get "${options[@]}" source sqlite3
    )
}

compile() {
    fetch
    local source library
    source=$(ls -d "$home"/sqlite3-*/ | head -n 1)
    source=${source%/}
    swift build -c release --package-path SQLiteSuites >&2
    library=$(swift build -c release --package-path SQLiteSuites --show-bin-path)
    mkdir -p "$build"
    [ -e "$build/sqlite3.c" ] || (
        cd "$build"
        "$source/configure" --disable-shared --with-tcl=/usr/lib/tcl8.6 CFLAGS=-O2 >configure.log
        make sqlite3.c >make.log 2>&1
    )
    local options=(-O2 -g -I"$build" -DSQLITE_EXTRA_INIT=suite_layer_start -DSQLITE_THREADSAFE=1 -DHAVE_USLEEP)
    local link=(-rdynamic -L"$library" -lSQLiteSuites "-Wl,-rpath,$library" -ldl -lm -lpthread)
    [ -e "$build/sqlite3.o" ] || gcc "${options[@]}" -c "$build/sqlite3.c" -o "$build/sqlite3.o"
    gcc "${options[@]}" -c "$programs/suite_layer.c" -o "$build/suite_layer.o"
    local program
    gcc "${options[@]}" -Wall -Wextra -Werror "$programs/closing_race.c" "$build/sqlite3.o" "$build/suite_layer.o" \
        "${link[@]}" -o "$build/closing_race"
    for program in speedtest1 kvtest threadtest3; do
        gcc "${options[@]}" -include "$programs/suite_files.h" "$source/test/$program.c" \
            $([ $program != threadtest3 ] || echo "-I$source/test $source/src/test_multiplex.c -I$source/src") \
            "$build/sqlite3.o" "$build/suite_layer.o" "${link[@]}" -o "$build/$program"
    done
    gcc -O2 -fPIC -shared -I/usr/include/tcl8.6 "$programs/suite_tcl.c" -o "$build/libsuitetcl.so"
    if [ ! -e "$build/testfixture" ] || [ "$programs/suite_layer.c" -nt "$build/testfixture" ]; then
        gcc -O1 -DSQLITE_TEST -I"$build" -c "$programs/suite_layer.c" -o "$build/suite_layer_test.o"
        (
            cd "$build"
            rm -f testfixture
            includes=$(for d in src ext/rtree ext/icu ext/fts3 ext/async ext/session ext/userauth; do
                printf -- '-I%s ' "$source/$d"; done)
            make testfixture \
                TCC="gcc -O1 -DSQLITE_OS_UNIX=1 -DSQLITE_THREADSAFE=1 -I. $includes -I/usr/include/tcl8.6 \
                    -DSQLITE_EXTRA_INIT=suite_layer_start -include $programs/suite_files.h" \
                LIBTCL="$build/suite_layer_test.o -ltcl8.6 ${link[*]}" >fixture.log 2>&1 ||
                { tail -n 20 fixture.log; exit 1; }
        )
    fi
}

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0

# run WHERE COMMAND…: in a folder of its own; WHERE is plain, memory or folder.
run() {
    local where=$1
    shift
    mkdir -p "$scratch/$where"
    case $where in
        plain) (cd "$scratch/$where" && "$@") ;;
        memory) (cd "$scratch/$where" && SUITE_VOLUME=memory "$@") ;;
        folder) (cd "$scratch/$where" && SUITE_VOLUME=$scratch/volume "$@") ;;
    esac
}

fresh() { rm -rf "${scratch:?}"/*; }

speedtest1() {
    local size=${SIZE:-25} options where
    echo "| speedtest1 --size $size | plain s | memory s | folder s | same hash |"
    echo "|---|---|---|---|---|"
    while read -r options; do
        local hashes=() line="| \`$options\` "
        for where in plain memory folder; do
            fresh
            # shellcheck disable=SC2086
            run $where "$build/speedtest1" --verify --size "$size" $options test.db >"$build/speed.out" 2>&1 ||
                { tail -n 3 "$build/speed.out" >&2; failures=$((failures + 1)); }
            hashes+=("$(sed -n 's/^Verification Hash: //p' "$build/speed.out")")
            line+="| $(sed -n 's/^ *TOTAL\.* *\([0-9.]*\)s/\1/p' "$build/speed.out") "
        done
        if [ -n "${hashes[0]}" ] && [ "${hashes[0]}" = "${hashes[1]}" ] && [ "${hashes[0]}" = "${hashes[2]}" ]; then
            echo "$line| yes |"
        else
            echo "$line| **no** |"
            failures=$((failures + 1))
        fi
    done <<'MODES'
--journal delete
--journal truncate
--journal persist
--journal memory
--journal wal
--journal wal --exclusive
--journal wal --nosync --cachesize 20
--pagesize 512 --journal delete
--pagesize 65536 --journal wal
--autovacuum --journal wal
--temp 9 --journal delete
--testset orm --journal wal
--testset cte --journal wal
MODES
}

kvtest() {
    local mode where
    echo '| kvtest | plain | memory | folder | same answers |'
    echo '|---|---|---|---|---|'
    while read -r mode; do
        local answers=() line="| \`$mode\` "
        for where in plain folder; do
            fresh
            # The content is random, so it is compared with itself: written once, by the plain layer.
            # shellcheck disable=SC2086
            {
                run $where "$build/kvtest" init test.db --count 3000 --size 9000 --variance 4000
                run $where "$build/kvtest" run test.db --count 3000 $mode
                run $where "$build/kvtest" stat test.db
            } >"$build/kv.out" 2>&1 || { tail -n 3 "$build/kv.out" >&2; failures=$((failures + 1)); }
            line+="| $(sed -n 's/.*Total elapsed time: *//p' "$build/kv.out" | tail -n 1) "
            answers+=("$(grep -E 'Number of entries|integrity|Page size' "$build/kv.out" | tr -s ' ' | tr '\n' ';')")
        done
        if [ -n "${answers[0]}" ] && [ "${answers[0]}" = "${answers[1]}" ]; then
            echo "$line| yes |"
        else
            echo "$line| **no** |"
            printf '%s\n' "${answers[@]}" >&2
            failures=$((failures + 1))
        fi
    done <<'MODES'
--blob-api --random
--random
--desc
--asc --max-id 3000
--update --random
--update --fsync --random --jmode wal
--update --multitrans --jmode truncate --random
MODES
}

threadtest3() {
    local where
    echo '| threadtest3 | failed checks | of tests |'
    echo '|---|---|---|'
    for where in plain memory folder; do
        fresh
        run $where timeout "${LIMIT:-900}" "$build/threadtest3" "${@:-*}" >"$build/thread-$where.out" 2>&1 || true
        echo "| $where | $(grep -oE '^[0-9]+ errors' "$build/thread-$where.out" | tail -n 1) |" \
            "$(grep -c '^Running' "$build/thread-$where.out") |"
    done
}

# The code that PRAGMA journal_mode meets beside a connection that closes: the same on each layer.
closing_race() {
    local where
    for where in plain memory folder; do
        fresh
        echo "$where: $(run $where "$build/closing_race")"
    done
}

case "${1:-all}" in
    build) compile ;;
    speedtest1 | kvtest | threadtest3 | closing_race) compile; "$@" ;;
    tcl) compile; shift; "$root/SQLiteSuites/Programs/run_tcl.py" "$build" "$@" ;;
    all) compile; speedtest1; kvtest; threadtest3; closing_race; "$root/SQLiteSuites/Programs/run_tcl.py" "$build" ;;
    *) sed -n '2,/^set/s/^# \{0,1\}//p' "$0"; exit 2 ;;
esac
exit $((failures > 0))
