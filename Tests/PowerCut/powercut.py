#!/usr/bin/env python3
"""Cuts the power of a volume on a real ext4.

An ext4 with 4096-byte blocks lives in an image behind a loop device. The driver writes into a
volume there; then random blocks are written back, ext4 is shut down without its log
(FS_IOC_SHUTDOWN, NOLOGFLUSH), the driver is killed, ext4 is mounted again, and another driver
says what is left. Prints one line of JSON for each run.

    swift build --build-tests
    sudo Tests/PowerCut/powercut.py .build/debug/CrashDriver [--seeds 1 2 3]
"""

import argparse
import contextlib
import ctypes
import fcntl
import glob
import json
import os
import random
import shutil
import signal
import struct
import subprocess
import sys
import tempfile
import time

BLOCK = 4096
IMAGE_BYTES = 128 << 20
BLOCK_COUNT = 512
OVERWRITTEN = 128
FILE_COUNT = 60
FS_IOC_SHUTDOWN = 0x8004587D
NO_LOG_FLUSH = 2
# SYNC_FILE_RANGE_WAIT_BEFORE | _WRITE | _WAIT_AFTER
WRITE_AND_WAIT = 7

libc = ctypes.CDLL(None, use_errno=True)


def run(*command):
    """Runs a command and returns its result; output is kept."""
    return subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)


def must(*command):
    """Runs a command that has to succeed."""
    result = run(*command)
    if result.returncode:
        raise RuntimeError(f"{' '.join(command)}: {result.stdout.strip()}")
    return result.stdout


class Disk:
    """A loop-mounted ext4 in an image of its own, with a volume on it."""

    def __init__(self, driver, stable_writes):
        self.driver = driver
        self.folder = tempfile.mkdtemp(prefix="powercut-")
        self.image = self.folder + "/image"
        self.mount_point = self.folder + "/mount"
        # The device key is on the machine, not on the disk that is cut.
        self.key = self.folder + "/key"
        self.stable_writes = stable_writes
        self.unstable = False
        os.mkdir(self.mount_point)
        with open(self.image, "wb") as image:
            image.truncate(IMAGE_BYTES)
        must("mkfs.ext4", "-q", "-F", "-b", str(BLOCK), self.image)
        self.mount()
        self.volume = self.mount_point + "/volume"
        self.tell("make")

    def mount(self):
        must("mount", "-o", "loop", self.image, self.mount_point)
        if self.stable_writes:
            return
        device = must("findmnt", "-n", "-o", "SOURCE", self.mount_point).strip()
        path = f"/sys/block/{os.path.basename(device)}/queue/stable_writes"
        with contextlib.suppress(OSError):
            with open(path, "w", encoding="ascii") as switch:
                switch.write("0")
            with open(path, encoding="ascii") as switch:
                self.unstable = switch.read().strip() == "0"

    def tell(self, command, *arguments):
        """Runs the driver to its end; returns its last line."""
        result = run(self.driver, command, self.volume, self.key, *map(str, arguments))
        lines = result.stdout.strip().splitlines() or [""]
        if result.returncode:
            raise RuntimeError(f"{command}: {lines[-1]}")
        return lines[-1]

    def start(self, command, *arguments):
        """Starts the driver and waits until it has written everything."""
        process = subprocess.Popen(
            [self.driver, command, self.volume, self.key, *map(str, arguments)],
            stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True)
        line = process.stdout.readline().strip()
        if line != "done":
            process.kill()
            raise RuntimeError(f"{command}: {line}")
        return process

    def write_back(self, seed, share=0.5):
        """Writes random blocks of the volume's files to the disk, each with this probability."""
        generator = random.Random(seed)
        count = 0
        for path in sorted(glob.glob(self.volume + "/**", recursive=True, include_hidden=True)):
            if not os.path.isfile(path) or os.path.islink(path):
                continue
            descriptor = os.open(path, os.O_RDONLY)
            for offset in range(0, os.fstat(descriptor).st_size, BLOCK):
                if generator.random() < share:
                    libc.sync_file_range(
                        descriptor, ctypes.c_int64(offset), ctypes.c_int64(BLOCK), WRITE_AND_WAIT)
                    count += 1
            os.close(descriptor)
        return count

    def cut(self, process):
        """The power fails: nothing more reaches the disk, and the program is gone."""
        descriptor = os.open(self.mount_point, os.O_RDONLY)
        fcntl.ioctl(descriptor, FS_IOC_SHUTDOWN, struct.pack("I", NO_LOG_FLUSH))
        os.close(descriptor)
        os.kill(process.pid, signal.SIGKILL)
        process.wait()
        self.unmount()
        self.mount()

    def unmount(self):
        for _ in range(50):
            if run("umount", self.mount_point).returncode == 0:
                return
            time.sleep(0.1)
        raise RuntimeError("the image cannot be unmounted")

    def close(self):
        if os.path.ismount(self.mount_point) and run("umount", self.mount_point).returncode:
            run("umount", "-l", self.mount_point)
        shutil.rmtree(self.folder, ignore_errors=True)


def folder_case(disk, _):
    """A: a folder is made and the one it is in is synced."""
    disk.tell("fill", 1)
    os.sync()
    process = disk.start("folder", "made")
    disk.cut(process)
    return json.loads(disk.tell("check", "folders"))


def overwrite_case(disk, seed):
    """B: a quarter of a file's blocks are written in place, and nothing is synced."""
    disk.tell("fill", BLOCK_COUNT)
    # With the large folios of a fresh sequential file in the cache, one page would write back many.
    disk.unmount()
    disk.mount()
    blocks = random.Random(seed).sample(range(BLOCK_COUNT), OVERWRITTEN)
    process = disk.start("overwrite", *blocks)
    written = disk.write_back(seed)
    disk.cut(process)
    return json.loads(disk.tell("check", "blocks")) | {"written_back": written}


def files_case(disk, seed):
    """C: many new files, of which every second one is synced."""
    os.sync()
    process = disk.start("files", FILE_COUNT)
    written = disk.write_back(seed)
    disk.cut(process)
    return json.loads(disk.tell("check", "files", FILE_COUNT)) | {"written_back": written}


def is_fine(case, result):
    """Whether a result keeps what is promised."""
    if case == "A":
        return result == {"keep": "fine", "made": "fine"}
    if case == "B":
        return result["garbage"] == 0 and result["err"] == 0
    return (
        result["synced_bad"] == 0 and result["unsynced_err"] == 0
        and result["unsynced_garbage"] == 0 and result["undeletable"] == 0)


def why_not():
    """Why this cannot run here; None when it can."""
    if os.geteuid() != 0:
        return "only root can mount an image"
    if not os.path.exists("/dev/loop-control"):
        return "there are no loop devices"
    if not shutil.which("mkfs.ext4"):
        return "mkfs.ext4 is not installed"
    return None


def main():
    parser = argparse.ArgumentParser(description="Cuts the power of a volume on a real ext4.")
    parser.add_argument("driver")
    parser.add_argument("--seeds", type=int, nargs="+", default=[1, 2, 3])
    options = parser.parse_args()
    if reason := why_not():
        print(json.dumps({"skipped": reason}))
        return 0
    all_fine = True
    cases = {"A": folder_case, "B": overwrite_case, "C": files_case}
    for stable_writes in (True, False):
        for case, body in cases.items():
            for seed in options.seeds:
                with contextlib.closing(Disk(options.driver, stable_writes)) as disk:
                    result = body(disk, seed)
                    if stable_writes:
                        setup = "as mounted"
                    else:
                        setup = "unstable" if disk.unstable else "stable_writes cannot be written"
                all_fine &= is_fine(case, result)
                line = {"case": case, "seed": seed, "pages": setup} | result
                print(json.dumps(line), flush=True)
    return 0 if all_fine else 1


if __name__ == "__main__":
    sys.exit(main())
