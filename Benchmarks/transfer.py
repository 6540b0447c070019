#!/usr/bin/env python3
"""put and get of a large file against cp plus the cipher's own time; memory of both and of many files.

usage: transfer.py SEAL BENCH FOLDER [MEBIBYTES] [PAIRS] [BIG_MEBIBYTES] [FILES]

Everything is made durable before it counts as done: cp is followed by sync of its target, as put and get
synchronise theirs. Times are medians; ratios are medians of the pairs of one run. Memory is the largest
resident set of the process, and what it had beyond that of a command that derives the same key.
"""
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time


def run(*command, stdin=None):
    """Seconds, and the largest resident set in KiB."""
    start = time.monotonic()
    process = subprocess.Popen(command, stdin=stdin, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    if status != 0:
        sys.exit("failed: %s" % " ".join(command))
    return time.monotonic() - start, usage.ru_maxrss


def warm(mebibytes):
    """Touches and frees as much memory as a file takes in the page cache.

    A virtual machine gives freed memory back to its host after seconds, and pays when it is used again;
    which command pays would be chance.
    """
    subprocess.run([sys.executable, "-c", (
        "import mmap; memory = mmap.mmap(-1, %d << 20)\n"
        "for offset in range(0, len(memory), 4096): memory[offset] = 1"
    ) % (mebibytes * 3 // 2)], check=True)


def row(*cells):
    print("| " + " | ".join(str(cell) for cell in cells) + " |", flush=True)


def main():
    seal, bench, folder = sys.argv[1:4]
    mebibytes, pairs, big, files = [int(x) for x in (sys.argv[4:] + ["1024", "5", "0", "0"][len(sys.argv) - 4:])]
    with tempfile.TemporaryDirectory(dir=folder) as place:
        path = lambda name: os.path.join(place, name)
        with open(path("passcode"), "w") as file:
            file.write("a passcode")
        common = ["--device-key", path("device.key")]
        unlocked = common + ["--passcode-file", path("passcode")]
        subprocess.run(["dd", "if=/dev/urandom", "of=" + path("source"), "bs=1M",
                        "count=%d" % mebibytes, "status=none"], check=True)
        run(seal, "init", path("volume"), "--kdf", "interactive", *unlocked)
        cipher = subprocess.run([bench, "cipher", str(mebibytes)], stdout=subprocess.PIPE, text=True,
                                check=True).stdout
        seal_time, open_time = [float(x) for x in re.findall(r"[0-9.]+", cipher)]
        # What every command costs besides moving content: the key derivation and the process.
        fixed, base = run(seal, "put", path("volume"), path("passcode"), "small", *unlocked)
        times = {"put": [], "get": []}
        copies = {"put": [], "get": []}
        memory = {"put": 0, "get": 0}

        def pair(work, counts, *command):
            os.sync()
            warm(mebibytes)
            copied, _ = run("sh", "-c", "cp %s %s && sync %s" % (
                path("source"), path("copy"), path("copy")))
            os.unlink(path("copy"))
            os.sync()
            warm(mebibytes)
            took, used = run(*command)
            memory[work] = max(memory[work], used)
            if counts:
                copies[work].append(copied)
                times[work].append(took - fixed)

        for index in range(pairs + 1):
            pair("put", index > 0, seal, "put", path("volume"), path("source"), "big", *unlocked)
            pair("get", index > 0, seal, "get", path("volume"), "big", path("out"), *unlocked)
            if index == 0:
                subprocess.run(["cmp", path("source"), path("out")], check=True)
            os.unlink(path("out"))
            run(seal, "rm", path("volume"), "big", *common)
        row("work, %d MiB" % mebibytes, "s", "cp + cipher, s", "ratio", "target", "memory, MiB", "of it KDF and process")
        row(*["---"] * 7)
        for work, own in (("put", seal_time), ("get", open_time)):
            ratios = [took / (copied + own) for took, copied in zip(times[work], copies[work])]
            row(work, "%.2f" % statistics.median(times[work]),
                "%.2f + %.2f" % (statistics.median(copies[work]), own),
                "%.2f" % statistics.median(ratios), "≤ 1.3", memory[work] // 1024, base // 1024)
        print("(a small put, which is taken off the times above: %.3f s)" % fixed)
        os.unlink(path("source"))
        if big:
            os.truncate(os.open(path("source"), os.O_CREAT | os.O_RDWR), big << 20)
            took, put_memory = run(seal, "put", path("volume"), path("source"), "big", *unlocked)
            row("put of %d MiB" % big, "%.1f s" % took, "%d MiB" % (put_memory // 1024))
            with open("/dev/null", "wb"):
                start = time.monotonic()
                took, get_memory = run(seal, "get", path("volume"), "big", "-", *unlocked)
            row("get of %d MiB" % big, "%.1f s" % took, "%d MiB" % (get_memory // 1024))
            run(seal, "rm", path("volume"), "big", *common)
        if files:
            took, many = run(bench, "many", path("volume of many"), str(files))
            row("%d files made, listed, read" % files, "%.1f s" % took, "%d MiB" % (many // 1024))


main()
