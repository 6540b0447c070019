#!/usr/bin/env python3
"""Runs SQLite's Tcl tests on the plain layer and on volumes, and prints what each counted.

run_tcl.py BUILD [FILE…]   FILE as crash.test or crash*; BUILD is where testfixture is
"""
import concurrent.futures
import fnmatch
import glob
import os
import re
import shutil
import subprocess
import sys
import tempfile

PATTERNS = ["crash*", "ioerr*", "journal*", "jrnlmode*", "wal*", "pager*", "lock*"]
LIMIT = int(os.environ.get("LIMIT", "600"))
build, patterns = sys.argv[1], sys.argv[2:] or PATTERNS
programs = os.path.dirname(os.path.abspath(__file__))
tests = sorted(glob.glob(os.path.join(build, "..", "sqlite3-*", "test", "*.test")))


def run(test, where):
    folder = tempfile.mkdtemp(prefix="suite-")
    environment = dict(os.environ, SUITE_TCL=os.path.join(build, "libsuitetcl.so"))
    environment.pop("SUITE_VOLUME", None)
    if where != "plain":
        environment["SUITE_VOLUME"] = "memory" if where == "memory" else folder + "/volume"
    try:
        done = subprocess.run(
            [build + "/testfixture", programs + "/prelude.tcl", test, "--testdir="],
            cwd=os.path.join(folder), env=environment, timeout=LIMIT, stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
        text, code = done.stdout.decode(errors="replace"), done.returncode
    except subprocess.TimeoutExpired as late:
        text, code = (late.stdout or b"").decode(errors="replace"), "late"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
    kept = os.path.join(build, "tcl-logs")
    os.makedirs(kept, exist_ok=True)
    with open(f"{kept}/{os.path.basename(test)}.{where}", "w") as log:
        log.write(text)
    found = re.search(r"(\d+) errors out of (\d+) tests", text)
    failed = re.search(r"!Failures on these tests: ?(.*)", text)
    names = failed.group(1).split() if failed else []
    if not found:
        passed = len(re.findall(r"\.\.\. Ok$", text, re.M))
        return f"stopped ({code}) after {passed}", None, names
    return f"{int(found[2]) - int(found[1])} / {found[2]}", int(found[1]), names


def both(test):
    # Crashes are children, which only a volume on the host's disk outlives.
    text = open(test, errors="replace").read()
    where = "folder" if re.search(r"crashsql|crash_on_write|nameofexec", text) else "memory"
    where = os.environ.get("WHERE", where)
    return test, where, run(test, "plain"), run(test, where)


chosen = [t for t in tests if any(
    fnmatch.fnmatch(os.path.basename(t), p if p.endswith(".test") else p + ".test") for p in patterns)]
print("| file | plain | on a volume | | failing only there |\n|---|---|---|---|---|")
with concurrent.futures.ThreadPoolExecutor(2) as pool:
    for test, where, plain, ours in pool.map(both, chosen):
        only = [n for n in ours[2] if n not in plain[2]]
        short = " ".join(only[:6]) + (f" … ({len(only)})" if len(only) > 6 else "")
        print(f"| {os.path.basename(test)} | {plain[0]} | {ours[0]} | {where} | {short} |", flush=True)
