#!/usr/bin/python3
"""A second reader of the volume format, written from docs/format.md alone.

It opens a volume read-only, takes no lock and prints what it found as one JSON object.
"""

import argparse
import json
import os
import stat
import struct
import sys

from primitives import Refused, need, sha256
from structures import (CIPHERS, CLASSES, RULE_SETS, choose_keybag, open_keybag, read_attribute,
                        read_device_key, read_file, read_folder_record, read_marker, read_name,
                        read_recovery_key, read_symbolic_link)

EXIT_CODES = {"wrong-passcode": 4, "not-a-recovery-key": 4, "damaged": 5}

KINDS = {stat.S_IFREG: "file", stat.S_IFDIR: "folder", stat.S_IFLNK: "symlink",
         stat.S_IFIFO: "fifo", stat.S_IFSOCK: "socket", stat.S_IFCHR: "characterDevice",
         stat.S_IFBLK: "blockDevice"}


def read_or_none(path, reader):
    try:
        return reader(path)
    except OSError:
        return None


def whole_file(path):
    with open(path, "rb") as stream:
        return stream.read()


def text(data):
    return data.decode("utf-8", "surrogateescape")


class Listing:
    def __init__(self, top, keys, unclean, default_class):
        self.keys, self.unclean, self.default_class = keys, unclean, default_class
        self.entries = []
        self.root = self.folder(os.fsencode(top), b"")

    def folder(self, host, path):
        try:
            target = read_or_none(os.path.join(host, b".folder"), os.readlink)
            need(target is not None, "a folder without record")
            number, folder_id, mode = read_folder_record(target, self.keys)
        except Refused as refusal:
            return {"class": None, "error": refusal.outcome}
        for host_name in sorted(os.listdir(host)):
            if not host_name.startswith(b".") or host_name.startswith(b".long-"):
                self.entry(host, host_name, path, number or self.default_class, folder_id)
        found = {"class": CLASSES.get(number), "error": None}
        if mode is not None:
            found["mode"] = "%04o" % mode
        return found

    def entry(self, host, host_name, folder_path, folder_class, folder_id):
        host_path = os.path.join(host, host_name)
        info = os.lstat(host_path)
        kind = KINDS[stat.S_IFMT(info.st_mode)]
        entry = {"kind": kind, "class": None, "size": None, "sha256": None, "error": None,
                 "nameError": None, "mode": "%04o" % stat.S_IMODE(info.st_mode)}
        self.entries.append(entry)
        try:
            link = read_or_none(os.path.join(host, b".name-" + host_name[6:]), os.readlink)
            name = read_name(host_name, link, folder_id, self.keys)
        except Refused as refusal:
            name, entry["nameError"] = host_name, refusal.outcome
        path = folder_path + b"/" + name if folder_path else name
        entry["path"] = text(path)
        try:
            need(entry["nameError"] != "damaged", "the name is damaged")
            if kind == "folder":
                entry.update(self.folder(host_path, path))
            elif kind == "symlink":
                target = read_symbolic_link(os.readlink(host_path), self.keys)
                entry.update(target=text(target), size=len(target),
                             sha256=sha256(target).hex(), mode=None)
            elif kind == "file":
                self.file(entry, host_path, folder_class)
            if kind in ("folder", "file"):
                entry["attributes"] = self.attributes(host_path)
        except Refused as refusal:
            entry["error"] = refusal.outcome
        except OSError as error:
            entry["error"] = error.strerror

    def file(self, entry, host_path, folder_class):
        descriptor = os.open(host_path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
        with os.fdopen(descriptor, "rb") as stream:
            start = stream.read(9)
            if start[:8] == b"SDPFILE1" and len(start) == 9:
                entry["class"] = CLASSES.get(start[8])
            stream.seek(0)
            hint = read_or_none(descriptor, lambda d: int(os.getxattr(d, "user.seal.class")))
            found = read_file(stream, os.fstat(descriptor).st_size, self.keys, self.unclean,
                              folder_class, hint)
        entry.update({"class": CLASSES[found["class"]], "size": found["size"],
                      "sha256": found["sha256"]})
        if isinstance(found["mode"], int):
            entry["mode"] = "%04o" % found["mode"]
        elif found["mode"] is not None:
            entry["mode"] = None

    def attributes(self, host_path):
        found = {}
        for host_name in read_or_none(host_path, os.listxattr) or []:
            if not host_name.startswith("user.") or host_name.startswith("user.seal."):
                continue
            value = os.getxattr(host_path, host_name, follow_symlinks=False)
            try:
                name, value = read_attribute(os.fsencode(host_name), value, self.keys)
                found["user." + text(name)] = value.hex()
            except Refused:
                found[host_name] = None
        return found


def read_volume(top, device=None, passcode=None, recovery=None, unlock=True):
    places = [os.path.join(top, ".keybag-%d" % number) for number in (1, 2)]
    copies = [read_or_none(place, whole_file) for place in places]
    index, states = choose_keybag(copies)
    bag = copies[index]
    keys = open_keybag(bag, device, passcode, recovery, unlock)
    try:
        data = read_or_none(os.path.join(top, ".marker"), whole_file)
        marker = read_marker(data, keys) if data is not None else {"state": "missing"}
    except Refused as refusal:
        marker = {"state": refusal.outcome}
    listing = Listing(top, keys, marker["state"] == "unclean", bag[42])
    volume = {"id": keys.volume_id.hex(), "generation": struct.unpack_from("<Q", bag, 32)[0],
              "cipher": CIPHERS[bag[40]], "ruleSet": RULE_SETS[bag[41]],
              "defaultClass": CLASSES[bag[42]], "device": bag[48:64].hex(),
              "flags": {"privateNames": bool(bag[43] & 1), "passcodeDelays": bool(bag[43] & 2)},
              "marker": marker, "unlocked": keys.secret is not None, "rootFolder": listing.root,
              "keybagCopies": {"1": states[0], "2": states[1], "used": index + 1}}
    return {"volume": volume, "entries": sorted(listing.entries, key=lambda e: e["path"])}


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("volume")
    parser.add_argument("--device-key")
    parser.add_argument("--passcode-file")
    parser.add_argument("--recovery-key-file")
    parser.add_argument("--only-before-first-unlock", action="store_true")
    chosen = parser.parse_args()
    try:
        device = chosen.device_key and read_device_key(whole_file(chosen.device_key))
        passcode = chosen.passcode_file and whole_file(chosen.passcode_file)
        if passcode and passcode.endswith(b"\n"):
            passcode = passcode[:-1]  # an editor's line end is no part of a passcode
        recovery = chosen.recovery_key_file and read_recovery_key(
            whole_file(chosen.recovery_key_file).decode("ascii", "replace").strip())
        found = read_volume(chosen.volume, device, passcode, recovery,
                            not chosen.only_before_first_unlock)
    except Refused as refusal:
        print("%s: %s" % (refusal.outcome, refusal), file=sys.stderr)
        return EXIT_CODES.get(refusal.outcome, 1)
    except OSError as error:
        print("failed: %s" % error, file=sys.stderr)
        return 1
    print(json.dumps(found, indent=1))
    return 0


if __name__ == "__main__":
    sys.exit(main())
