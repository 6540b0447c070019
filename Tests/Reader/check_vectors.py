#!/usr/bin/python3
"""Runs every vector of Tests/Vectors through the reader, then reads sample volumes whole."""

import argparse
import hashlib
import io
import os
import sys
import tempfile

import primitives
import structures
import writer
from make_vectors import VECTORS
from primitives import Refused
from reader import read_volume
from structures import Keys

NUMBERS = ("cipher", "page-number", "folder-class", "hint")
TEXTS = ("layer", "expect", "comment", "lock-state", "marker", "link", "host-name")
TRUTHS = ("private-names",)
OUTCOMES = ("ok", "empty", "hole", "damaged", "sealed", "newer-format", "wrong-passcode",
            "other-device", "not-a-recovery-key")


def parse(data):
    """Inputs, expected values and the bytes under test."""
    head, raw = data.split(b"\n\n", 1)
    inputs, yields = {}, {}
    for line in head.decode("ascii").split("\n"):
        key, value = line.split(": ", 1)
        assert key not in inputs and key not in yields, "a key twice: " + key
        if key.startswith("yields-"):
            yields[key[len("yields-"):]] = value
        elif key in NUMBERS:
            inputs[key] = int(value)
        elif key in TEXTS:
            inputs[key] = value
        elif key in TRUTHS:
            inputs[key] = {"true": True, "false": False}[value]
        else:
            inputs[key] = bytes.fromhex(value)
    assert inputs["expect"] in OUTCOMES, "not of the closed list: " + inputs["expect"]
    return inputs, yields, raw


def keys_of(v):
    return Keys(v["volume-id"], v.get("cipher"), v["volume-root"], v["keybag-secret"],
                v["private-names"], v["lock-state"])


def run_recovery_key(v, raw):
    return {"key": structures.read_recovery_key(raw.decode("ascii"))}


def run_device_key(v, raw):
    return dict(zip(("device-id", "device-key"), structures.read_device_key(raw)))


def run_slot(v, raw):
    structures.check_slot(raw)
    if raw[0] == 0:
        return "empty"
    secret = structures.open_slot(raw, v["volume-id"], v["cipher"], v["device-key"],
                                  v.get("passcode"), v.get("recovery-key"))
    return {"keybag-secret": secret}


def run_keybag(v, raw):
    structures.check_keybag(raw)
    device = (v["device-id"], v["device-key"]) if "device-id" in v else None
    keys = structures.open_keybag(raw, device, v.get("passcode"), v.get("recovery-key"))
    return {"volume-id": raw[16:32], "generation": int.from_bytes(raw[32:40], "little"),
            "cipher": raw[40], "rule-set": raw[41], "default-class": raw[42],
            "private-names": bool(raw[43] & 1), "passcode-delays": bool(raw[43] & 2),
            "device-id": raw[48:64], "class-b-public": raw[64:96], "volume-root": keys.root,
            "keybag-secret": keys.secret}


def run_keybag_copies(v, raw):
    copies = [raw[:4096], raw[4096:]]
    index = structures.choose_keybag(copies)[0]
    return dict(run_keybag(v, copies[index]), used=index + 1)


def run_marker(v, raw):
    return structures.read_marker(raw, Keys(v["volume-id"], None, v["volume-root"], None))


def run_folder_record(v, raw):
    number, folder_id, mode = structures.read_folder_record(raw, keys_of(v))
    return {"class": number, "folder-id": folder_id,
            "mode": "none" if mode is None else "%o" % mode}


def run_name(v, raw):
    link = v["link"].encode("ascii") if "link" in v else None
    return {"name": structures.read_name(raw, link, v["folder-id"], keys_of(v))}


def run_symbolic_link(v, raw):
    return {"target": structures.read_symbolic_link(raw, keys_of(v))}


def run_attribute(v, raw):
    name, value = structures.read_attribute(v["host-name"].encode("ascii"), raw, keys_of(v))
    return {"name": name, "value": value}


def run_header(v, raw):
    header = structures.read_header(raw, keys_of(v))
    mode = header["mode"]
    header["mode"] = "none" if mode is None else mode if isinstance(mode, str) else "%o" % mode
    return {key.replace("_", "-"): value for key, value in header.items()}


def run_page(v, raw):
    if not any(raw):
        return "hole"
    payload, last = structures.read_page(raw, v["page-number"], v["file-key"], v["cipher"],
                                     v["volume-id"], v["file-id"])
    return {"size": len(payload), "sha256": hashlib.sha256(payload).digest(), "last": last}


def run_file(v, raw):
    return structures.read_file(io.BytesIO(raw), len(raw), keys_of(v), v["marker"] == "unclean",
                            v["folder-class"], v.get("hint"))


def plain(value):
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.hex() if isinstance(value, bytes) else str(value)


def check(data):
    """None, or what is wrong."""
    try:
        inputs, yields, raw = parse(data)
        run = globals()["run_" + inputs["layer"].replace("-", "_")]
    except (ValueError, KeyError, AssertionError) as error:
        return "not a vector: %r" % error
    try:
        found = run(inputs, raw)
        outcome = found if isinstance(found, str) else "ok"
    except Refused as refusal:
        found, outcome = {}, refusal.outcome
    except Exception as error:
        return "the reader fails: %r" % error
    if outcome != inputs["expect"]:
        return "expected %s, got %s" % (inputs["expect"], outcome)
    if (outcome == "ok") != bool(yields):
        return "a vector yields something if and only if it is ok"
    for key, value in yields.items():
        if key not in found or plain(found[key]) != value:
            return "%s: expected %s, got %s" % (key, value, plain(found.get(key)))
    return None


def check_xaes():
    """The two vectors of C2SP's XAES-256-GCM."""
    known = ((b"\1", b"", "ce546ef63c9cc60765923609b33a9a1974e96e52daf2fcf7075e2271"),
             (b"\3", b"c2sp.org/XAES-256-GCM",
              "986ec1832593df5443a179437fd083bf3fdb41abd740a21f71eb769d"))
    for key, ad, sealed in known:
        sealed, nonce = bytes.fromhex(sealed), b"ABCDEFGHIJKLMNOPQRSTUVWX"
        found = primitives.aead_open(1, key * 32, nonce, sealed[:-16], sealed[-16:], ad)
        if found != b"XAES-256-GCM":
            return "XAES-256-GCM opens to %r" % found
    return None


def check_sample(seed, cipher, private_names, unclean):
    """Writes a volume, and reads it unlocked, locked and by its recovery key."""
    with tempfile.TemporaryDirectory() as folder:
        top = os.path.join(folder, "volume")
        w = writer.Writer(seed, cipher, private_names=private_names)
        recovery = structures.read_recovery_key(writer.make_sample(w, top, unclean=unclean))
        device = (w.device_id, w.device_key)
        unlocked = read_volume(top, device, b"correct horse")["entries"]
        if unlocked != read_volume(top, recovery=recovery)["entries"]:
            return "the recovery key shows something else than the passcode"
        if any(e["error"] or e["nameError"] for e in unlocked) or len(unlocked) != 13 + unclean:
            return "not every entry can be read"
        locked = read_volume(top, device)["entries"]
        sealed = sorted(e["class"] for e in locked if e["error"] == "sealed" and e["class"])
        if sealed != sorted(list(structures.CLASSES.values())[:3] + ["complete"] * 2):
            return "sealed without passcode: %s" % sealed
        named = [e["path"] for e in locked if e["nameError"] is None]
        if len(named) != (0 if private_names else len(unlocked)):
            return "names without passcode: %s" % named
    return None


def check_refusals():
    """What the whole volume says when something of it is ruined."""
    with tempfile.TemporaryDirectory() as top:
        w = writer.Writer("refusals")
        recovery = structures.read_recovery_key(writer.make_sample(w, os.path.join(top, "v")))
        volume, device = os.path.join(top, "v"), (w.device_id, w.device_key)

        def outcome(*arguments, **options):
            try:
                return read_volume(volume, *arguments, **options)["volume"]["rootFolder"]["error"]
            except Refused as refusal:
                return refusal.outcome

        said = [outcome(device, b"wrong"), outcome(), outcome(recovery=bytes(20))]
        with open(os.path.join(volume, "read me.txt"), "wb"):
            pass
        entries = read_volume(volume, device)["entries"]
        said += [e["error"] for e in entries if e["path"] == "read me.txt"]
        os.remove(os.path.join(volume, ".folder"))
        said += [outcome(device)]
        os.remove(os.path.join(volume, ".keybag-1"))
        said += [outcome(recovery=recovery)]
        os.remove(os.path.join(volume, ".keybag-2"))
        said += [outcome(device)]
    expected = ["wrong-passcode", "other-device", "wrong-passcode", "damaged", "damaged",
                "damaged", "not-a-volume"]
    return None if said == expected else "expected %s, got %s" % (expected, said)


def main():
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", nargs="?", default=VECTORS)
    folder = parser.parse_args().folder
    results = [("XAES-256-GCM", check_xaes())]
    for name in sorted(os.listdir(folder)):
        if name.endswith(".vec"):
            with open(os.path.join(folder, name), "rb") as stream:
                results.append((name, check(stream.read())))
    vectors = len(results) - 1
    for cipher in (1, 2):
        for private_names in (False, True):
            for unclean in (False, True):
                name = "sample volume %d %s %s" % (cipher, private_names, unclean)
                results.append((name, check_sample(name, cipher, private_names, unclean)))
    results.append(("refusals of a volume", check_refusals()))
    failures = [(name, failure) for name, failure in results if failure]
    for name, failure in failures:
        print("%s: %s" % (name, failure))
    print("%d passed, %d failed" % (len(results) - len(failures), len(failures)))
    return 1 if failures or not vectors else 0


if __name__ == "__main__":
    sys.exit(main())
