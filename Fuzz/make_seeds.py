"""Makes the first inputs of the fuzz targets from Tests/Vectors: the bytes of each vector, in the form
in which its target takes them."""

import pathlib
import struct
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent
# The target of a layer, and the byte that tells it to take the rest as it is.
TARGETS = {
    "header": ("header", b"\0"),
    "keybag": ("keybag", b"\0"),
    "slot": ("keybag", b"\1"),
    "marker": ("marker", b"\0"),
    "device-key": ("device", b"\0"),
    "folder-record": ("folder", b"\1"),
    "recovery-key": ("recovery", b"\0"),
    "name": ("name", b"\0"),
}
WORDS = [
    "complete", "NSFileProtectionCompleteUnlessOpen", "c", "D", "interactive", "data.db-wal", ".note.swp",
    ".#note", "note~", "x-shm",
]
LINES = [
    b"\0v\0--private-names\0--class=A", b"\1v\0a\0b\0--passcode-file\0p", b"\2v\0a\0-\0--force",
    b"\3v\0-l\0--json", b"\7v\0--class\0none\0a\0b\0c", b"\x0av\0--repair\0--\0-x", b"\x0e\0init",
]


def main():
    """Writes one file for each input below the folder that is given."""
    folder = pathlib.Path(sys.argv[1])
    seeds = [("words", f"word-{number}", word.encode()) for number, word in enumerate(WORDS)]
    seeds += [("command", f"line-{number}", line) for number, line in enumerate(LINES)]
    entries = [
        struct.pack("<BBHIqqqq", kind, kind % 4, 0, 1, number, 1000, 5000, 0)
        for kind in range(1, 11) for number in (0, 1, 2)
    ]
    item = b"SDPITEM\1" + struct.pack("<q16sqqH6x", 1, b"k" * 16, 7, 4, 5) + b"labelbody"
    seeds += [
        ("outbox", "item", b"\0" + item), ("outbox", "log", b"\2" + b"".join(entries)),
        ("outbox", "head", b"\1SDPOUTB1" + bytes(32) + entries[1]),
        ("outbox", "name", b"\3" + b"0000000000000001-12"),
    ]
    for path in sorted((ROOT / "Tests/Vectors").glob("*.vec")):
        head, raw = path.read_bytes().split(b"\n\n", 1)
        fields = dict(line.split(": ", 1) for line in head.decode().split("\n") if ": " in line)
        if fields["layer"] not in TARGETS:
            continue
        target, prefix = TARGETS[fields["layer"]]
        if target == "name":
            raw += b"\0" + fields.get("link", "").encode()
        seeds.append((target, path.stem, prefix + raw))
        if target == "folder":
            seeds.append(("base64", path.stem, raw))
    for target, name, raw in seeds:
        place = folder / target
        place.mkdir(parents=True, exist_ok=True)
        (place / name).write_bytes(raw)


main()
