#!/usr/bin/env python3
"""A database in a volume beside plain SQLite, SQLCipher 4 and SQLite3 Multiple Ciphers: the same statements.

    python3 -m venv V && V/bin/pip install sqlcipher3-binary pysqlite3mc-binary matplotlib
    V/bin/python Benchmarks/database_peers.py FOLDER [ROUNDS]

Each runs in a process of its own, in turn, through the same Python interface to SQLite (all are builds of pysqlite). The
volume and plain use the host's libsqlite3; under the volume is SQLiteSuites' library (scripts/sqlite-suites.sh build).
Keys are given raw, so no row holds a key derivation; what one costs is shown apart. Both the time that passes and the
processor's are taken: the second hardly changes with what else the machine does. A ratio is the median of those of each round.
Writes docs/databases-speed.md and docs/databases-speed.svg.
"""
import ctypes
import json
import os
import shutil
import statistics
import subprocess
import sys
import time

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LIBRARY = ROOT + "/SQLiteSuites/.build/release/libSQLiteSuites.so"
KINDS = ["plain", "volume", "SQLCipher 4", "SQLite3MC"]
ROWS, COMMITS, READS, UPDATES, SCANS = 50_000, int(os.environ.get("COMMITS", "5000")), 50_000, 20_000, 5
KEY = "2dd29ca851e7b56e4697b0e1f08507293d761a05ce4d1b628663f411a8086d99"


def worker(kind, folder):
    if kind == "SQLCipher 4":
        import sqlcipher3.dbapi2 as sqlite
    elif kind == "SQLite3MC":
        import pysqlite3mc.dbapi2 as sqlite
    else:
        import sqlite3 as sqlite
    if kind == "volume":
        os.environ["SUITE_VOLUME"] = folder + "/volume"
        library = ctypes.CDLL(LIBRARY, mode=ctypes.RTLD_GLOBAL)
        if library.suite_start(None) != 0:
            sys.exit("no volume")

    def connect(path, passphrase=None):
        connection = sqlite.connect(path, isolation_level=None)
        if kind == "SQLCipher 4":
            key = f"\"x'{KEY}'\"" if passphrase is None else f"'{passphrase}'"
            connection.execute("PRAGMA key=" + key)
        elif kind == "SQLite3MC":
            connection.execute("PRAGMA cipher='chacha20'")
            connection.execute("PRAGMA key='%s'" % (passphrase or f"raw:{KEY}"))
        return connection

    def fill(connection):
        connection.execute("BEGIN")
        connection.executemany("INSERT INTO t VALUES (?, ?, ?)", rows)
        connection.execute("COMMIT")

    def fresh(name, synchronous, filled=True):
        connection = connect(f"{name}.db")
        connection.execute("PRAGMA page_size=4096")
        connection.execute("PRAGMA journal_mode=WAL")
        connection.execute(f"PRAGMA synchronous={synchronous}")
        connection.execute("PRAGMA mmap_size=0")
        connection.execute("PRAGMA cache_size=-2000")
        connection.execute("PRAGMA temp_store=MEMORY")
        connection.execute("CREATE TABLE t (id INTEGER PRIMARY KEY, number INTEGER, text TEXT)")
        if filled:
            fill(connection)
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
        return connection

    rows = [(i, i * 7, f"{i:0100d}") for i in range(ROWS)]
    places = [(i * 2_654_435_761 % ROWS,) for i in range(READS)]
    os.makedirs(folder + "/host", exist_ok=True)
    os.chdir(folder + "/host")
    times = {}

    def clock(what, count, body):
        start, processor = time.perf_counter(), time.process_time()
        body()
        passed, processor = time.perf_counter() - start, time.process_time() - processor
        times[what] = (passed / count * 1e6, processor / count * 1e6)

    connection = fresh("bulk" if kind != "volume" else "/bulk", "NORMAL", filled=False)
    clock("bulk insert", ROWS, lambda: fill(connection))
    connection.close()
    for synchronous in ["NORMAL", "FULL"]:
        connection = fresh(("/" if kind == "volume" else "") + "commit" + synchronous, synchronous)

        def commits():
            for i in range(COMMITS):
                connection.execute("INSERT INTO t VALUES (?, ?, ?)", (ROWS + i, i, "x" * 100))

        clock(f"single commits, WAL {synchronous}", COMMITS, commits)
        connection.close()
    name = ("/" if kind == "volume" else "") + "read.db"
    connection = fresh(name[:-3], "NORMAL")

    def reads():
        for place in places:
            connection.execute("SELECT number FROM t WHERE id = ?", place).fetchone()

    clock("point reads", READS, reads)

    def scan():
        for _ in range(SCANS):
            connection.execute("SELECT sum(length(text)), sum(number) FROM t").fetchone()

    clock("range scan", ROWS * SCANS, scan)

    def updates():
        connection.execute("BEGIN")
        connection.executemany("UPDATE t SET number = number + 1 WHERE id = ?", places[:UPDATES])
        connection.execute("COMMIT")

    clock("updates", UPDATES, updates)
    check = connection.execute("SELECT count(*), sum(number), sum(length(text)) FROM t").fetchone()
    connection.close()

    def opens(passphrase, count):
        for _ in range(count):
            again = connect(name, passphrase)
            again.execute("SELECT number FROM t WHERE id = 25000").fetchone()
            again.close()

    clock("open + first read", 100, lambda: opens(None, 100))
    if kind in ("SQLCipher 4", "SQLite3MC"):
        connection = connect(name)
        if kind == "SQLCipher 4":
            connection.execute("ATTACH 'phrase.db' AS p KEY 'a passphrase'")
            connection.execute("SELECT sqlcipher_export('p')")
        else:
            connection.execute("PRAGMA rekey='a passphrase'")
        connection.close()
        name = "phrase.db" if kind == "SQLCipher 4" else name
        clock("open + first read with a passphrase", 3, lambda: opens("a passphrase", 3))
    print(json.dumps({"times": times, "check": check, "version": sqlite.sqlite_version}))


def measure(folder, rounds):
    found = {kind: [] for kind in KINDS}
    checks, versions = set(), {}
    for number in range(rounds):
        for kind in KINDS if number % 2 == 0 else KINDS[::-1]:
            place = f"{folder}/peers"
            shutil.rmtree(place, ignore_errors=True)
            os.makedirs(place)
            done = subprocess.run([sys.executable, __file__, "--worker", kind, place], stdout=subprocess.PIPE, check=True)
            answer = json.loads(done.stdout)
            found[kind].append(answer["times"])
            checks.add(tuple(answer["check"]))
            versions[kind] = answer["version"]
            shutil.rmtree(place, ignore_errors=True)
    if len(checks) != 1:
        sys.exit(f"the databases differ: {checks}")
    return found, versions


def ratios(found, other, work, which):
    """Of each round: the volume's time by another's."""
    return sorted(a[work][which] / b[work][which] for a, b in zip(found["volume"], found[other]))


def told(found, other, work, which, spread=True):
    each = ratios(found, other, work, which)
    quarter = len(each) // 4
    middle = f"{statistics.median(each):.2f}"
    return f"{middle} ({each[quarter]:.2f}…{each[-1 - quarter]:.2f})" if spread else middle


def report(found, versions, rounds):
    works = list(found["SQLCipher 4"][0])
    middle = {k: {w: statistics.median(r[w][0] for r in found[k]) for w in works if w in found[k][0]} for k in KINDS}
    heads = [f"{k} ({versions[k]})" for k in KINDS]
    heads += ["volume / plain", "the same, processor", "volume / SQLCipher", "the same, processor"]
    lines = ["| µs each | " + " | ".join(heads) + " |", "|---" * (len(heads) + 1) + "|"]
    for work in works:
        cells = [number(middle[k][work]) if work in middle[k] else "" for k in KINDS]
        last = [""] * 4
        if work in middle["volume"]:
            last = [told(found, other, work, which, which == 0) for other in ["plain", "SQLCipher 4"] for which in [0, 1]]
        lines.append(f"| {work} | " + " | ".join(cells + last) + " |")
    table = "\n".join(lines)
    print(table)
    path = ROOT + "/docs/databases-speed.md"
    text = open(path).read() if os.path.exists(path) else "# How fast databases are\n\n<!-- peers -->\n<!-- end -->\n"
    begin, end = text.index("<!-- peers -->"), text.index("<!-- end -->")
    head = f"<!-- peers -->\nMedians of {rounds} rounds, in each of which all four have their turn. Ratios are medians of the rounds' ratios, and in\n"
    head += "parentheses the middle half of them.\n\n"
    open(path, "w").write(text[:begin] + head + table + "\n" + text[end:])
    draw(works[:7], {k: {w: [statistics.median(a[w][n] / b[w][n] for a, b in zip(found[k], found["plain"])) for n in (0, 1)]
                         for w in works[:7]} for k in KINDS})


def number(value):
    return f"{value:.2f}" if value < 10 else f"{value:.1f}" if value < 1000 else f"{value:.0f}"


def draw(works, relative):
    import matplotlib
    matplotlib.use("svg")
    import matplotlib.pyplot as plot
    figure, axes = plot.subplots(2, 1, figsize=(9, 7), sharex=True)
    for which, (axis, name) in enumerate(zip(axes, ["time", "processor time"])):
        for index, kind in enumerate(KINDS):
            axis.bar([p + index * 0.2 for p in range(len(works))], [relative[kind][w][which] for w in works], 0.2, label=kind)
        axis.set_xticks([p + 0.3 for p in range(len(works))], [w.replace(", ", ",\n") for w in works], fontsize=8)
        axis.set_ylabel(f"{name} / plain SQLite")
        axis.axhline(1, color="black", linewidth=0.5)
        axis.axhline(1.25, color="black", linewidth=0.5, linestyle="dotted")
    axes[0].legend()
    figure.tight_layout()
    figure.savefig(ROOT + "/docs/databases-speed.svg", metadata={"Date": None})


if __name__ == "__main__":
    if sys.argv[1] == "--worker":
        worker(sys.argv[2], sys.argv[3])
    else:
        count = int(sys.argv[2]) if len(sys.argv) > 2 else 5
        report(*measure(os.path.abspath(sys.argv[1]), count), count)
