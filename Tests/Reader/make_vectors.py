#!/usr/bin/python3
"""Makes Tests/Vectors/*.vec. Running it again gives the same bytes."""

import os
import struct
import sys

from primitives import base64url_encode, mac, label, sha256, x25519_public
from structures import CIPHERS, CLASSES, PAGE, RULE_SETS
from writer import Seeded, Writer, device_key_file, write_recovery_key

VECTORS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "Vectors")
STATES = ("unlocked", "locked", "before-first-unlock")
ORDER_8_POINT = bytes.fromhex("e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800")
written = {}


def vector(name, layer, expect, comment, data, **keys):
    """Writes one vector; a key's `_` becomes `-`, bytes become hex, None is left out."""
    assert name not in written, name
    lines = ["layer: " + layer, "expect: " + expect, "comment: " + comment]
    for key, value in keys.items():
        if isinstance(value, bool):
            value = "true" if value else "false"
        elif isinstance(value, (bytes, bytearray)):
            value = value.hex()
        if value is not None:
            lines.append("%s: %s" % (key.replace("_", "-"), value))
    written[name] = ("\n".join(lines) + "\n\n").encode("ascii") + data


def put(at, value):
    """A change that overwrites bytes."""
    def change(data):
        data[at:at + len(value)] = value
    return change


def flip(at, mask=1):
    def change(data):
        data[at] ^= mask
    return change


def flipped(data, at, mask=1):
    data = bytearray(data)
    data[at] ^= mask
    return bytes(data)


def volume_keys(w, state="unlocked", private=None):
    """The inputs from which every key of the volume follows."""
    return {"volume_id": w.volume_id, "volume_root": w.root, "keybag_secret": w.secret,
            "private_names": w.private_names if private is None else private,
            "lock_state": state}


def recovery_keys():
    layer = "recovery-key"
    raw = Writer("recovery key").recovery
    right = write_recovery_key(raw)

    def ok(name, comment, text, key=raw):
        vector("recovery_key_" + name, layer, "ok", comment, text.encode(), yields_key=key)

    def bad(name, comment, text):
        vector("recovery_key_" + name, layer, "not-a-recovery-key", comment, text.encode())

    ok("ok", "as it is written", right)
    ok("lower_case", "case does not matter", right.lower())
    ok("spaces", "spaces and dashes are ignored", " " + right.replace("-", " ") + " ")
    ok("no_dashes", "spaces and dashes are ignored", right.replace("-", ""))
    ok("odd_dashes", "groups do not matter", right.replace("-", "")[:7] + "--" +
       right.replace("-", "")[7:])
    zeros, ones = bytes(20), (0x0842108421084210842108421084210842108421).to_bytes(20, "big")
    ok("zero", "twenty zero bytes", write_recovery_key(zeros), zeros)
    ok("o_for_0", "O reads as 0", write_recovery_key(zeros).replace("0", "O"), zeros)
    ok("small_o_for_0", "o reads as 0", write_recovery_key(zeros).replace("0", "o"), zeros)
    ok("i_for_1", "I reads as 1", write_recovery_key(ones).replace("1", "I"), ones)
    ok("l_for_1", "l reads as 1", write_recovery_key(ones).replace("1", "l"), ones)
    ok("all_ones", "twenty bytes of 255", write_recovery_key(b"\xff" * 20), b"\xff" * 20)
    other = "0" if right[-1] != "0" else "1"
    bad("checksum_wrong", "last character changed", right[:-1] + other)
    bad("digit_wrong", "first character changed", ("0" if right[0] != "0" else "1") + right[1:])
    bad("swapped", "two characters exchanged", right[1] + right[0] + right[2:])
    bad("letter_u", "U is not in the alphabet", "U" + right[1:])
    bad("foreign_character", "an exclamation mark", right[:-1] + "!")
    bad("too_short", "35 characters", right[:-1])
    bad("too_long", "37 characters", right + "0")
    bad("empty", "no characters", "")


def device_keys():
    w = Writer("device key")

    def case(name, expect, comment, change=None, **keys):
        vector("device_key_" + name, "device-key", expect, comment,
               device_key_file(w.device_id, w.device_key, change), **keys)

    case("ok", "ok", "a device key file", yields_device_id=w.device_id,
         yields_device_key=w.device_key)
    case("magic_wrong", "damaged", "magic SDPDEVK2, checksum right", {"fields": put(7, b"2")})
    case("checksum_wrong", "damaged", "a bit of the checksum", {"end": flip(63)})
    case("key_changed", "damaged", "a bit of the key, checksum old", {"end": flip(40)})

    def cut(data):
        del data[63:]
    case("too_short", "damaged", "63 bytes", {"end": cut})
    case("too_long", "damaged", "65 bytes", {"end": lambda data: data.extend(b"\0")})


def slots():
    w = Writer("slot")
    passcode = "pa\u00dfcode \u00e9".encode()

    def case(name, expect, comment, data, cipher=1, device_key=None, given=passcode,
             recovery=None, **keys):
        vector("slot_" + name, "slot", expect, comment, data, cipher=cipher,
               volume_id=w.volume_id, device_key=device_key or w.device_key, passcode=given,
               recovery_key=recovery, **keys)

    yields = {"yields_keybag_secret": w.secret}
    for cipher in CIPHERS:
        w.cipher = cipher
        case("passcode_ok_%d" % cipher, "ok", "kind 1", w.slot(1, passcode), cipher, **yields)
        case("recovery_ok_%d" % cipher, "ok", "kind 2", w.slot(2), cipher, given=None,
             recovery=w.recovery, **yields)
        case("device_ok_%d" % cipher, "ok", "kind 3", w.slot(3), cipher, given=None, **yields)
    w.cipher = 1
    case("passcode_decomposed", "ok", "given in form D, made in form C", w.slot(1, passcode),
         given="pa\u00dfcode e\u0301".encode(), **yields)
    case("passcode_1024", "ok", "the longest passcode", w.slot(1, b"x" * 1024),
         given=b"x" * 1024, **yields)
    case("passcode_1025", "wrong-passcode", "too long a passcode, all else right",
         w.slot(1, b"x" * 1025), given=b"x" * 1025)
    case("passcode_empty", "wrong-passcode", "an empty passcode, all else right",
         w.slot(1, b""), given=b"")
    case("passcode_costs", "ok", "3 passes over 64 KiB", w.slot(1, passcode, 3, 65536), **yields)
    case("passcode_passes_64", "ok", "the most passes", w.slot(1, passcode, 64), **yields)
    case("empty_ok", "empty", "kind 0, 160 zeros", bytes(160))
    good = w.slot(1, passcode)
    case("passcode_wrong", "wrong-passcode", "another passcode", good, given=b"passcode")
    case("passcode_other_device", "wrong-passcode", "right passcode, other device key", good,
         device_key=bytes(32))
    case("recovery_wrong", "wrong-passcode", "another recovery key", w.slot(2), given=None,
         recovery=bytes(20))
    case("device_wrong", "wrong-passcode", "another device key", w.slot(3), given=None,
         device_key=bytes(32))
    case("wrap_wrong", "wrong-passcode", "a bit of the tag", flipped(good, 119))
    case("id_changed", "wrong-passcode", "the slot id is in the key and the wrap's data",
         flipped(good, 32))
    case("salt_changed", "wrong-passcode", "the salt is in the wrap's data", flipped(good, 16))
    case("kind_changed", "damaged", "kind 1 to 2: cost and salt must then be zero",
         flipped(good, 0, 3))
    case("kind_out_of_range", "damaged", "kind 4, wrap right",
         w.slot(3, change={"fields": put(0, b"\4")}))
    case("empty_not_zero", "damaged", "kind 0 and its last byte 1", bytes(159) + b"\1")
    case("empty_id_not_zero", "damaged", "kind 0 with a slot id",
         bytes(32) + b"\1" + bytes(127))
    case("reserved_1_not_zero", "damaged", "byte 1, wrap right",
         w.slot(1, passcode, change={"fields": put(1, b"\1")}))
    case("reserved_3_not_zero", "damaged", "byte 3, wrap right",
         w.slot(1, passcode, change={"fields": put(3, b"\1")}))
    case("reserved_120_not_zero", "damaged", "byte 120", flipped(good, 120))
    case("reserved_159_not_zero", "damaged", "byte 159", flipped(good, 159))

    def cost(name, comment, passes, memory):
        # The wrap cannot be right: nobody can run such a cost. The range comes first.
        data = bytearray(good)
        struct.pack_into("<IQ", data, 4, passes, memory)
        case("cost_" + name, "damaged", comment, bytes(data))

    cost("passes_0", "0 passes", 0, 8192)
    cost("passes_65", "65 passes", 65, 8192)
    cost("passes_huge", "2^32 - 1 passes", 0xFFFFFFFF, 8192)
    cost("memory_small", "7168 bytes", 1, 7168)
    cost("memory_odd", "8193 bytes", 1, 8193)
    cost("memory_large", "4 GiB and 1 KiB", 1, (1 << 32) + 1024)
    for kind, who, given in ((2, "recovery", w.recovery), (3, "device", None)):
        for at, what in ((4, "passes"), (8, "memory"), (16, "salt")):
            case("%s_%s_not_zero" % (who, what), "damaged",
                 "kind %d with a byte of %s, wrap right" % (kind, what),
                 w.slot(kind, change={"fields": put(at, b"\1")}), given=None, recovery=given)


def keybags():
    passcode = b"1234"

    def build(w, slots=None, change=None):
        slots = slots if slots is not None else [w.slot(1, passcode), w.slot(2)]
        return w.keybag(slots, change)

    def case(name, expect, comment, w, data, given=passcode, recovery=None, device=True,
             device_id=None, device_key=None, layer="keybag", **keys):
        vector("keybag_" + name, layer, expect, comment, data,
               device_id=(device_id or w.device_id) if device else None,
               device_key=(device_key or w.device_key) if device else None,
               passcode=given, recovery_key=recovery, **keys)

    def fields(w, secret=True, **more):
        return dict({"yields_volume_id": w.volume_id, "yields_generation": w.generation,
                     "yields_cipher": w.cipher, "yields_rule_set": w.rule_set,
                     "yields_default_class": w.default_class,
                     "yields_private_names": bool(w.flags & 1),
                     "yields_passcode_delays": bool(w.flags & 2),
                     "yields_device_id": w.device_id,
                     "yields_class_b_public": x25519_public(w.class_key(2)),
                     "yields_volume_root": w.root,
                     "yields_keybag_secret": w.secret if secret else None}, **more)

    for cipher in CIPHERS:
        for rule_set in RULE_SETS:
            w = Writer("keybag %d %d" % (cipher, rule_set), cipher, rule_set)
            case("ok_%d_%d" % (cipher, rule_set), "ok", "cipher %d, rule set %d" %
                 (cipher, rule_set), w, build(w), **fields(w))
    for number in CLASSES:
        w = Writer("keybag class %d" % number, default_class=number)
        case("default_class_%d" % number, "ok", "default class %d" % number, w, build(w),
             **fields(w))
    w = Writer("keybag private names", private_names=True)
    case("private_names", "ok", "flag bit 0", w, build(w), **fields(w))
    w = Writer("keybag delays", passcode_delays=True)
    case("passcode_delays", "ok", "flag bit 1", w, build(w), **fields(w))
    w = Writer("keybag generation", generation=0x1122334455667788)
    case("generation_large", "ok", "generation of eight different bytes", w, build(w),
         **fields(w))

    w = Writer("keybag")
    good = build(w)
    case("locked", "ok", "without passcode: the volume root only", w, good, given=None,
         **fields(w, False))
    case("recovery", "ok", "the recovery key, without a device key", w, good, given=None,
         recovery=w.recovery, device=False, **fields(w))
    case("recovery_other_device", "ok", "the recovery key and the key of another device", w, good,
         given=None, recovery=w.recovery, device_id=bytes(16), device_key=bytes(32),
         **fields(w))
    case("no_passcode", "ok", "a slot of kind 3", w, build(w, [w.slot(3), w.slot(2)]),
         given=None, **fields(w))
    case("second_passcode", "ok", "the passcode of the eighth slot", w,
         build(w, [w.slot(1, b"other") for _ in range(7)] + [w.slot(1, passcode)]), **fields(w))
    case("slot_gap", "ok", "an empty slot before the used one", w,
         build(w, [bytes(160), w.slot(1, passcode)]), **fields(w))

    case("passcode_wrong", "wrong-passcode", "no slot unwraps", w, good, given=b"1235")
    case("recovery_wrong", "wrong-passcode", "no slot for this recovery key", w, good,
         given=None, recovery=bytes(20), device=False)
    case("other_device", "other-device", "id and key of another device", w, good,
         device_id=bytes(16), device_key=bytes(32))
    case("no_device", "other-device", "neither device key nor recovery key", w, good,
         device=False)
    case("device_key_wrong", "damaged", "right device id, another key", w, good,
         device_key=bytes(32))

    case("newer", "newer-format", "version 2, everything else right", w,
         build(w, change={"fields": put(8, b"\2")}))
    case("newer_and_unknown", "newer-format", "version 2, then nothing that version 1 knows", w,
         b"SDPKEYBG\2\0\0\0" + b"\xff" * 4084)
    case("newer_and_longer", "newer-format", "version 256 and 8192 bytes", w,
         b"SDPKEYBG\0\1\0\0" + bytes(8180))

    def bad(name, comment, stage, at, value, **keys):
        case(name, "damaged", comment, w, build(w, change={stage: put(at, value)}), **keys)

    bad("magic_wrong", "magic SDPKEYBH, MAC and checksum right", "fields", 7, b"H")
    bad("version_0", "version 0, MAC and checksum right", "fields", 8, b"\0")
    for at in (12, 15, 44, 47):
        bad("reserved_%d_not_zero" % at, "MAC and checksum right", "fields", at, b"\1")
    for at in (1584, 4095):
        bad("reserved_%d_not_zero" % at, "MAC and checksum do not cover it", "end", at, b"\1")
    bad("generation_0", "counts from 1; MAC and checksum right", "fields", 32, bytes(8))
    bad("cipher_0", "MAC and checksum right", "fields", 40, b"\0")
    bad("cipher_3", "MAC and checksum right", "fields", 40, b"\3")
    bad("rule_set_0", "MAC and checksum right", "fields", 41, b"\0")
    bad("rule_set_3", "MAC and checksum right", "fields", 41, b"\3")
    bad("default_class_0", "MAC and checksum right", "fields", 42, b"\0")
    bad("default_class_5", "MAC and checksum right", "fields", 42, b"\5")
    bad("flag_bit_2", "MAC and checksum right", "fields", 43, b"\4")
    bad("flag_bit_7", "MAC and checksum right", "fields", 43, b"\x80")
    bad("class_b_public_wrong", "not that of the private key; MAC and checksum right", "fields",
        64, x25519_public(bytes(31) + b"\1"))
    bad("volume_id_changed", "in every salt; MAC under the old key, checksum right", "fields",
        16, bytes(16))
    bad("device_wrap_wrong", "tag of the root under the device key; MAC and checksum right",
        "fields", 152, bytes(16))
    bad("secret_wrap_wrong", "tag of the root under the keybag secret; MAC and checksum right",
        "fields", 224, bytes(16), given=None, recovery=w.recovery, device=False)
    case("secret_wrap_wrong_unused", "ok", "the same; with the device key it is not looked at", w,
         build(w, change={"fields": put(224, bytes(16))}), **fields(w))
    bad("mac_wrong", "checksum right", "mac", 1520, bytes(32))
    bad("mac_wrong_recovery", "checksum right", "mac", 1520, bytes(32), given=None,
        recovery=w.recovery, device=False)
    bad("checksum_wrong", "MAC right", "sum", 1552, bytes(32))
    bad("slot_empty_not_zero", "slot 3, MAC and checksum right", "fields", 240 + 3 * 160 + 159,
        b"\1")
    bad("slot_kind_4", "slot 3, MAC and checksum right", "fields", 240 + 3 * 160, b"\4")
    bad("slot_cost_out_of_range", "passes 65 in slot 0, MAC and checksum right", "fields", 244,
        b"\x41")
    bad("generation_changed", "MAC old, checksum right", "mac", 32, b"\2")
    case("slot_wrap_wrong", "wrong-passcode", "tag of slot 0; MAC and checksum right", w,
         build(w, change={"fields": put(240 + 104, bytes(16))}))
    case("too_short", "damaged", "4095 bytes", w, good[:-1])
    case("too_long", "damaged", "4097 bytes", w, good + b"\0")

    copies(case, fields, build, w, good)


def copies(case, fields, build, w, good):
    """Two copies, one after the other, of 4096 bytes each."""
    w.generation = 2
    newer = build(w)
    newer_fields = fields(w)
    w.generation = 1
    ruined = flipped(good, 1552)
    layer = {"layer": "keybag-copies"}
    case("copies_same", "ok", "the same generation: the first", w, good + good,
         yields_used=1, **layer, **fields(w))
    case("copies_second_newer", "ok", "a crash between two writes", w, good + newer,
         yields_used=2, **layer, **newer_fields)
    case("copies_first_newer", "ok", "the second is old", w, newer + good,
         yields_used=1, **layer, **newer_fields)
    case("copies_first_damaged", "ok", "checksum of copy 1 wrong", w, ruined + good,
         yields_used=2, **layer, **fields(w))
    case("copies_newer_damaged", "ok", "the newer copy is not whole", w,
         good + flipped(newer, 4095), yields_used=1, **layer, **fields(w))
    case("copies_both_damaged", "damaged", "both checksums wrong", w, ruined + ruined, **layer)
    other = Writer("keybag of another volume", generation=3)
    other.device_id, other.device_key = w.device_id, w.device_key
    case("copies_two_volumes", "damaged", "both whole, of two volumes of the same device", w,
         good + build(other), **layer)
    case("copies_newer_mac_wrong", "damaged", "the copy that counts is whole, its MAC is not", w,
         good + newer[:1520] + bytes(32) + sha256(newer[:1520] + bytes(32)) + newer[1584:],
         **layer)


def markers():
    w = Writer("marker")
    keys = {"volume_id": w.volume_id, "volume_root": w.root}

    def ok(name, state, session, time):
        vector("marker_" + name, "marker", "ok", "state %d" % state,
               w.marker(state, session, time), yields_state=name.split("_")[0],
               yields_session=session, yields_time=time, **keys)

    def bad(name, comment, data):
        vector("marker_" + name, "marker", "damaged", comment + "; it then counts as clean", data,
               **keys)

    def changed(at, value):
        return w.marker(2, change={"fields": put(at, value)})

    ok("clean", 1, 1, 1700000000123456789)
    ok("unclean", 2, 0x1122334455667788, 1)
    bad("mac_wrong", "a bit of the MAC", flipped(w.marker(2), 79))
    bad("state_changed", "clean made unclean, MAC old", flipped(w.marker(1), 8, 3))
    bad("magic_wrong", "magic SDPMARK2, MAC right", changed(7, b"2"))
    bad("state_0", "state 0, MAC right", changed(8, b"\0"))
    bad("state_3", "state 3, MAC right", changed(8, b"\3"))
    bad("reserved_not_zero", "byte 12, MAC right", changed(12, b"\1"))
    bad("other_volume", "another volume id, MAC right", changed(16, bytes(16)))
    bad("too_short", "79 bytes", w.marker(2)[:-1])
    bad("too_long", "81 bytes", w.marker(2) + b"\0")
    bad("other_purpose", "MAC without the label", w.marker(2, change={"end": lambda data: put(
        48, mac(w.derive(w.root, "marker"), bytes(data[:48])))(data)}))


def folder_records():
    random = Seeded("folder id")
    w, private = Writer("folder"), Writer("folder private", private_names=True)
    folder_id = random.bytes(16)

    def case(name, expect, comment, text, of=w, state="unlocked", **keys):
        vector("folder_record_" + name, "folder-record", expect, comment, text,
               **volume_keys(of, state), **keys)

    for number in range(5):
        case("class_%d" % number, "ok", "class %d" % number, w.folder_record(number, folder_id),
             yields_class=number, yields_folder_id=folder_id, yields_mode="none")
    for mode in (0, 0o555, 0o7077):
        case("mode_%o" % mode, "ok", "version 2, kept mode %o" % mode,
             w.folder_record(2, folder_id, mode=mode), yields_class=2, yields_folder_id=folder_id,
             yields_mode="%o" % mode)
    case("mode_13_bits", "damaged", "version 2, a mode of 13 bits, MAC right",
         w.folder_record(2, folder_id, mode=0o10000))
    case("mode_changed", "damaged", "version 2, mode 555 to 777, MAC old",
         w.folder_record(2, folder_id, {"end": put(18, b"\xff\1\0\0")}, mode=0o555))
    case("mode_cut", "damaged", "version 1 with the bytes of version 2, MAC right",
         w.folder_record(2, folder_id, {"fields": put(0, b"\1")}, mode=0o555))
    case("before_first_unlock", "ok", "names are not private", w.folder_record(1, folder_id),
         state="before-first-unlock", yields_class=1, yields_folder_id=folder_id)
    for state in STATES[:2]:
        case("private_" + state, "ok", "private names", private.folder_record(1, folder_id),
             private, state, yields_class=1, yields_folder_id=folder_id)

    def changed(at, value, stage="fields"):
        return w.folder_record(1, folder_id, {stage: put(at, value)})

    case("version_0", "damaged", "record version 0, MAC right", changed(0, b"\0"))
    case("version_2", "damaged", "version 2 without a mode, MAC right", changed(0, b"\2"))
    case("version_3", "damaged", "record version 3, MAC right", changed(0, b"\3"))
    case("class_5", "damaged", "class 5, MAC right", changed(1, b"\5"))
    case("class_changed", "damaged", "class 1 to 4, MAC old", changed(1, b"\4", "end"))
    case("id_changed", "damaged", "folder id, MAC old", changed(2, bytes(16), "end"))
    case("mac_wrong", "damaged", "MAC of zeros", changed(18, bytes(16), "end"))
    case("other_volume", "damaged", "record of another volume",
         Writer("folder other").folder_record(1, folder_id))
    case("private_key_of_root", "damaged", "private names, MAC under the volume root's key",
         Writer("folder private").folder_record(1, folder_id), private)
    good = w.folder_record(1, folder_id)
    case("padded", "damaged", "base64url with padding", good + b"==")
    case("too_short", "damaged", "33 bytes",
         w.folder_record(1, folder_id, {"end": lambda data: data.pop()}))
    case("too_long", "damaged", "35 bytes",
         w.folder_record(1, folder_id, {"end": lambda data: data.append(0)}))
    case("spare_bits", "damaged", "the last character's spare bits are not zero",
         good[:-1] + bytes([good[-1] + 1]))
    case("line_end", "damaged", "base64url and a line end", good + b"\n")
    while b"-" not in good:
        good = w.folder_record(1, random.bytes(16))
    case("standard_alphabet", "damaged", "base64 with + instead of -", good.replace(b"-", b"+"))


def names():
    w, private = Writer("name"), Writer("name private", private_names=True)
    folder_id = Seeded("name folder").bytes(16)

    def case(name, expect, comment, host_name, link=None, of=w, state="unlocked", folder=folder_id,
             **keys):
        vector("name_" + name, "name", expect, comment, host_name, folder_id=folder,
               link=link.decode() if link is not None else None, **volume_keys(of, state), **keys)

    def ok(name, comment, plain, of=w, state="unlocked"):
        host_name, link = of.host_name(plain, folder_id)
        case(name, "ok", comment, host_name, link, of, state, yields_name=plain)

    def bad(name, comment, plain, **keys):
        host_name, link = w.host_name(plain, folder_id)
        case(name, "damaged", comment, host_name, link, **keys)

    ok("1", "one byte", b"a")
    ok("dotted", "a name that begins with a dot", b".profile")
    ok("three_dots", "only . and .. are refused", b"...")
    ok("utf_8", "not ASCII", "\u65e5\u672c\u8a9e e\u0301".encode())
    ok("not_utf_8", "names are bytes", b"\xff\xfe\x01\n")
    ok("174", "host name of 254 characters", b"n" * 174)
    ok("175", "the longest that fits the host: 255 characters", b"n" * 175)
    ok("176", "the shortest that needs a link", b"n" * 176)
    ok("255", "the longest", b"n" * 255)
    ok("before_first_unlock", "names are not private", b"name", state=STATES[2])
    ok("private", "private names", b"name", private)
    ok("private_locked", "private names after first unlock", b"name", private, STATES[1])
    case("private_sealed", "sealed", "private names before first unlock",
         private.host_name(b"name", folder_id)[0], of=private, state=STATES[2])

    bad("dot", ". inside a sealed name", b".")
    bad("dot_dot", ".. inside a sealed name", b"..")
    bad("slash", "a slash inside a sealed name", b"a/b")
    bad("nul", "NUL inside a sealed name", b"a\0b")
    bad("256", "256 bytes inside a sealed name", b"n" * 256)
    bad("other_folder", "sealed for another folder", b"name", folder=bytes(16))
    sealed = w.sealed_name(b"name", folder_id)
    bad("empty", "an empty name, sealed", b"")
    case("iv_changed", "damaged", "a bit of the synthetic IV",
         base64url_encode(flipped(sealed, 0)))
    case("text_changed", "damaged", "a bit of the ciphertext",
         base64url_encode(flipped(sealed, 19)))
    case("other_volume", "damaged", "sealed in another volume",
         Writer("name other").host_name(b"name", folder_id)[0])
    encoded = base64url_encode(w.sealed_name(b"four", folder_id))
    case("spare_bits", "damaged", "the last character's spare bits are not zero",
         encoded[:-1] + bytes([encoded[-1] + 1]))
    case("padded", "damaged", "base64url with padding", encoded + b"=")
    case("length_5_mod_4", "damaged", "a length base64url does not have",
         base64url_encode(w.sealed_name(b"fiveb", folder_id)) + b"A")
    case("not_base64url", "damaged", "a plain name of the host", b"read me.txt")
    host_name, link = w.host_name(b"n" * 200, folder_id)
    other = w.host_name(b"m" * 200, folder_id)
    case("link_missing", "damaged", "a long name without its link", host_name)
    case("link_other", "damaged", "the link of another long name", host_name, other[1])
    case("link_not_base64url", "damaged", "a link with padding", host_name, link + b"=")
    short = w.sealed_name(b"n" * 175, folder_id)
    case("link_needless", "damaged", "a name of 175 bytes with a link that fits its hash",
         b".long-" + base64url_encode(sha256(short)), base64url_encode(short))
    forged = Seeded("forged").bytes(216)
    case("link_forged", "damaged", "a link that fits its hash and does not authenticate",
         b".long-" + base64url_encode(sha256(forged)), base64url_encode(forged))


def sealed_values():
    w, second = Writer("value"), Writer("value 2", cipher=2)
    private = Writer("value private", private_names=True)

    def case(kind, name, expect, comment, data, of=w, state="unlocked", **keys):
        vector(kind.replace("-", "_") + "_" + name, kind, expect, comment, data, cipher=of.cipher,
               **volume_keys(of, state), **keys)

    for of, name in ((w, "ok_1"), (second, "ok_2"), (private, "private")):
        case("symbolic-link", name, "ok", "cipher %d" % of.cipher, of.symbolic_link(b"../a/\xff"),
             of, yields_target=b"../a/\xff")
        host_name, value = of.attribute(b"name", b"value\0")
        case("attribute", name, "ok", "cipher %d" % of.cipher, value, of,
             host_name=host_name.decode(), yields_name=b"name", yields_value=b"value\0")
    host_name, value = w.attribute(b"empty", b"")
    case("attribute", "empty", "ok", "an empty value", value, host_name=host_name.decode(),
         yields_name=b"empty", yields_value=b"")
    host_name, value = private.attribute(b"name", b"value")
    case("attribute", "sealed", "sealed", "private names before first unlock", value, private,
         STATES[2], host_name=host_name.decode())
    case("symbolic-link", "sealed", "sealed", "private names before first unlock",
         private.symbolic_link(b"target"), private, STATES[2])
    link = w.symbolic_link(b"target")
    case("symbolic-link", "changed", "damaged", "a bit of the nonce", flipped(link, 4, 3))
    case("symbolic-link", "padded", "damaged", "base64url with padding", link + b"==")
    case("symbolic-link", "too_short", "damaged", "39 bytes", base64url_encode(bytes(39)))
    case("symbolic-link", "other_volume", "damaged", "of another volume",
         second.symbolic_link(b"target"))
    host_name, value = w.attribute(b"name", b"value")
    case("attribute", "value_changed", "damaged", "a bit of the ciphertext", flipped(value, 24),
         host_name=host_name.decode())
    case("attribute", "value_of_other_name", "damaged", "the value of another attribute",
         w.attribute(b"eman", b"value")[1], host_name=host_name.decode())
    case("attribute", "name_changed", "damaged", "a plain name", value, host_name="user.name")
    case("attribute", "too_short", "damaged", "39 bytes", value[:39],
         host_name=host_name.decode())


def headers():
    random = Seeded("header")
    w, private = Writer("header volume"), Writer("header private", private_names=True)

    def case(name, expect, comment, of=w, state="unlocked", number=1, cipher=None, yields=None,
             **options):
        file_id, file_key = random.bytes(16), random.bytes(32)
        data = of.header(number, file_id, file_key, cipher=cipher, **options)
        fields = {}
        if expect == "ok":
            mode = options.get("mode", 0)
            fields = {"yields_class": number, "yields_cipher": cipher or of.cipher,
                      "yields_file_id": file_id, "yields_file_key": file_key,
                      "yields_sparse": bool(options.get("flags", 0)),
                      "yields_mode": oct(mode & 0xFFF)[2:] if mode >> 31 else "none"}
            fields.update(yields or {})
        vector("header_" + name, "header", expect, comment, data, **volume_keys(of, state),
               **fields)

    for number in CLASSES:
        for cipher in CIPHERS:
            case("class_%d_cipher_%d" % (number, cipher), "ok", "class %d, cipher %d" %
                 (number, cipher), number=number, cipher=cipher)
    for number in CLASSES:
        case("class_%d_locked" % number, "sealed" if number < 3 else "ok",
             "locked after first unlock", state="locked", number=number)
        case("class_%d_before_first_unlock" % number, "sealed" if number < 4 else "ok",
             "before first unlock", state=STATES[2], number=number)
    case("sparse", "ok", "flag bit 0", flags=1)
    case("mode_0", "ok", "kept mode 0000", mode=1 << 31)
    case("mode_all", "ok", "kept mode 7777", mode=1 << 31 | 0o7777)
    case("private_names", "ok", "kept mode under the keybag secret", private, mode=1 << 31 | 0o400)
    case("private_names_before_first_unlock", "ok", "class 4: kept mode not to be had", private,
         STATES[2], number=4, mode=1 << 31 | 0o400, yields={"yields_mode": "unavailable"})

    def bad(name, comment, stage, at, value, **options):
        case(name, "damaged", comment, change={stage: put(at, value)}, **options)

    bad("magic_wrong", "magic SDPFILE2, wrap and checksum right", "fields", 7, b"2")
    for number in (0, 5, 7, 255):
        bad("class_%d" % number, "wrap under class 1's key and checksum right", "fields", 8,
            bytes([number]))
    for cipher in (0, 3):
        bad("cipher_%d" % cipher, "wrap with cipher 1 and checksum right", "fields", 9,
            bytes([cipher]))
    for at in (10, 15):
        bad("reserved_%d_not_zero" % at, "wrap and checksum right", "fields", at, b"\1")
    for at in (192, 479):
        bad("reserved_%d_not_zero" % at, "checksum right", "macs", at, b"\1")
    bad("other_volume", "another volume id; wrap, MACs and checksum right", "fields", 16,
        bytes(16))
    case("other_volume_id_only", "damaged", "another volume id; MACs over this volume's id",
         change={"fields": put(16, bytes(16))}, mac_volume_id=w.volume_id)
    bad("file_id_changed", "MACs over the new id, checksum right, wrap fails", "wrapped",
        32, bytes(16))
    for number in (1, 3, 4):
        bad("ephemeral_of_class_%d" % number, "an ephemeral key; wrap and checksum right",
            "fields", 48, b"\1", number=number)
    bad("wrap_class_changed", "class 1 to 4, checksum right, wrap fails", "wrapped", 8, b"\4")
    bad("wrap_class_weakened", "class 3 to 4, checksum right, wrap fails", "wrapped", 8, b"\4",
        number=3)
    bad("wrap_cipher_changed", "cipher 1 to 2, checksum right, wrap fails", "wrapped", 9, b"\2")
    case("wrap_wrong_class", "damaged", "class 1 wrapped under class 3's key, checksum right",
         key_class=3)
    bad("wrap_nonce_changed", "checksum right, wrap fails", "wrapped", 80, bytes(24))
    bad("wrap_key_changed", "checksum right, wrap fails", "wrapped", 104, bytes(32))
    bad("wrap_tag_changed", "checksum right, wrap fails", "wrapped", 136, bytes(16))
    bad("ephemeral_changed", "class 2, checksum right, wrap fails", "wrapped", 48,
        x25519_public(b"\1" * 32), number=2)
    for name, point in (("zero", bytes(32)), ("one", b"\1" + bytes(31)),
                        ("order_8", ORDER_8_POINT)):
        case("ephemeral_" + name, "damaged",
             "class 2, Z is zero; wrap made with that Z, checksum right", number=2,
             ephemeral=point)
    for bit in (1, 31):
        case("flag_bit_%d" % bit, "damaged", "MAC and checksum right", flags=1 << bit)
    bad("flags_changed", "made sparse, checksum right, MAC old", "macs", 152, b"\1")
    bad("flags_mac_wrong", "checksum right", "macs", 156, bytes(16))
    for bit in (12, 30):
        case("mode_bit_%d" % bit, "damaged", "MAC and checksum right",
             mode=1 << 31 | 1 << bit | 0o400)
    bad("mode_changed", "mode 7777 present, checksum right, MAC old", "macs", 172,
        struct.pack("<I", 1 << 31 | 0o7777))
    bad("mode_mac_wrong", "checksum right", "macs", 176, bytes(16))
    bad("checksum_wrong", "all else right", "end", 480, bytes(32))
    bad("checksum_wrong_locked", "damage is told from sealed without the key", "end", 480,
        bytes(32), state="locked")


def pages():
    random = Seeded("page")
    w = Writer("page volume")
    file_id, file_key = random.bytes(16), random.bytes(32)
    header = w.header(4, file_id, file_key)

    def case(name, expect, comment, number, payload, last, cipher=1, given=None, given_id=None,
             volume_id=None, mask=None, **options):
        data = w.page(number, file_id, file_key, payload, last, b"" if number else header, cipher,
                      **options)
        if mask is not None:
            data = flipped(data, mask)
        fields = {}
        if expect == "ok":
            fields = {"yields_size": len(payload), "yields_sha256": sha256(payload),
                      "yields_last": last}
        vector("page_" + name, "page", expect, comment, data,
               volume_id=volume_id or w.volume_id, file_id=given_id or file_id, file_key=file_key,
               cipher=cipher, page_number=number if given is None else given, **fields)

    for cipher in CIPHERS:
        case("0_ok_%d" % cipher, "ok", "page 0, cipher %d" % cipher, 0, b"hello", True, cipher)
        case("1_ok_%d" % cipher, "ok", "page 1, cipher %d" % cipher, 1, b"hello", True, cipher)
    case("0_empty", "ok", "a last page 0 may be empty", 0, b"", True)
    case("0_full", "ok", "3540 bytes, not the last", 0, b"f" * 3540, False)
    case("1_full", "ok", "4052 bytes, not the last", 1, b"f" * 4052, False)
    case("1_full_last", "ok", "4052 bytes, the last", 1, b"f" * 4052, True)
    case("number_large", "ok", "a number of eight different bytes", 0x0122334455667788, b"x",
         True)
    case("zero_payload", "ok", "zeros are no hole once sealed", 1, bytes(4052), True)
    case("all_zero", "hole", "4096 zeros", 3, b"", True,
         change={"end": put(0, bytes(PAGE))})
    case("1_empty", "damaged", "a last page 1 without payload; tag right", 1, b"", True)
    case("0_short_not_last", "damaged", "3539 bytes, not the last; tag right", 0, b"x" * 3539,
         False)
    case("1_short_not_last", "damaged", "1 byte, not the last; tag right", 1, b"x", False)
    case("0_too_long", "damaged", "length 3541; tag right", 0, b"x" * 3540, True,
         word=1 << 31 | 3541)
    case("1_too_long", "damaged", "length 4053; tag right", 1, b"x" * 4052, True,
         word=1 << 31 | 4053)
    case("1_too_long_not_last", "damaged", "length 65535; tag right", 1, b"x" * 4052, False,
         word=65535)
    case("0_length_of_page_1", "damaged", "page 0 with length 4052; tag right", 0, b"x" * 3540,
         False, word=4052)
    for bit in (16, 30):
        case("word_bit_%d" % bit, "damaged", "a reserved bit; tag right", 1, b"x", True,
             word=1 << 31 | 1 << bit | 1)
    case("padding_first_byte", "damaged", "a byte behind the payload; tag right", 1, b"x", True,
         padding=b"\1")
    case("padding_last_byte", "damaged", "the last byte; tag right", 0, b"x", True,
         padding=bytes(3538) + b"\1")
    case("moved", "damaged", "page 1 in the place of page 2", 1, b"x", True, given=2)
    case("other_file", "damaged", "of another file with the same key", 1, b"x", True,
         given_id=bytes(16))
    case("other_volume", "damaged", "of another volume with the same keys", 1, b"x", True,
         volume_id=bytes(16))
    case("nonce_changed", "damaged", "first byte", 1, b"x", True, mask=0)
    case("nonce_end_changed", "damaged", "last byte", 1, b"x", True, mask=23)
    case("tag_changed", "damaged", "last byte", 1, b"x", True, mask=39)
    case("length_changed", "damaged", "the word is authenticated", 1, b"x", True, mask=40)
    case("last_flag_changed", "damaged", "the word is authenticated", 1, b"x" * 4052, True,
         change={"end": flip(43, 0x80)})
    case("text_changed", "damaged", "last byte", 1, b"x", True, mask=4095)
    case("0_nonce_changed", "damaged", "byte 512", 0, b"x", True, mask=512)
    case("0_text_changed", "damaged", "byte 556", 0, b"x", True, mask=556)


def files():
    random = Seeded("file")
    w, second = Writer("file volume"), Writer("file volume 2", cipher=2)

    def case(name, expect, comment, data, payload=None, number=4, marker="clean", of=w,
             state="unlocked", folder_class=3, hint=None):
        fields = {}
        if expect == "ok":
            fields = {"yields_class": number, "yields_size": len(payload),
                      "yields_sha256": sha256(payload)}
        if isinstance(data, list):
            data = b"".join(data)
        vector("file_" + name, "file", expect, comment, data, **volume_keys(of, state),
               marker=marker, folder_class=folder_class, hint=hint, **fields)

    for size in (0, 1, 3540, 3541, 7592, 7593):
        for of in (w, second):
            payload = random.bytes(size)
            case("size_%d_cipher_%d" % (size, of.cipher), "ok", "%d bytes, cipher %d" %
                 (size, of.cipher), of.file(payload), payload, of=of)
    payload = random.bytes(1 << 20)
    case("size_1048576", "ok", "259 pages", w.file(payload), payload)
    payload = random.bytes(100)
    for number in CLASSES:
        case("class_%d" % number, "ok", "class %d" % number, w.file(payload, number=number),
             payload, number)
        if number < 4:
            case("class_%d_sealed" % number, "sealed", "before first unlock",
                 w.file(payload, number=number), state=STATES[2])
    payload = random.bytes(3540 + 4052) + bytes(4052 * 2) + random.bytes(5)
    for marker in ("clean", "unclean"):
        case("sparse_" + marker, "ok", "pages 2 and 3 are holes",
             w.file(payload, holes={2, 3}), payload, marker=marker)
    good = w.pages(payload)
    zero = bytes(PAGE)

    case("hole_clean", "damaged", "an all-zero page, the sparse flag is not set",
         good[:2] + [zero] + good[3:])
    case("hole_unclean", "ok", "an all-zero page ends a file that is not sparse",
         good[:2] + [zero] + good[3:], payload[:7592], marker="unclean")
    case("page_0_hole_clean", "damaged", "no header", [zero] + good[1:])
    case("page_0_hole_unclean", "ok", "no header: empty, of the folder's class",
         [zero] + good[1:], b"", 3, "unclean")
    case("empty_host_clean", "damaged", "host size 0", b"")
    case("empty_host_unclean", "ok", "host size 0: empty, of the folder's class", b"", b"", 3,
         "unclean")
    case("hint_stricter", "ok", "the hint is stricter than the folder's class", b"", b"", 1,
         "unclean", hint=1)
    case("hint_weaker", "ok", "the hint is weaker than the folder's class", b"", b"", 3,
         "unclean", hint=4)
    case("hint_with_header", "ok", "a hint does not count where there is a header",
         w.file(b"x"), b"x", 4, hint=1)
    case("hint_clean", "damaged", "a hint excuses nothing in a clean volume", b"", hint=1)
    case("page_0_part_clean", "damaged", "512 bytes", good[0][:512])
    case("page_0_part_unclean", "ok", "page 0 is there in part: as if it were missing",
         good[0][:512], b"", 3, "unclean")
    case("part_clean", "damaged", "half a page behind the last", b"".join(good) + bytes(2048))
    case("part_behind_end_unclean", "ok", "half a page behind the last",
         b"".join(good) + b"\1" * 2048, payload, marker="unclean")
    case("cut_clean", "damaged", "the last page is missing", good[:-1])
    case("cut_unclean", "ok", "the last page is missing: pages before it count in full",
         good[:-1], payload[:3540 + 3 * 4052], marker="unclean")
    case("cut_in_page_unclean", "ok", "half of the last page is missing",
         b"".join(good)[:-2048], payload[:3540 + 3 * 4052], marker="unclean")
    case("cut_after_page_0_unclean", "ok", "page 0 alone, full and without the last flag",
         good[:1], payload[:3540], marker="unclean")
    twice = w.pages(payload, lasts={1, 4})
    case("last_twice_clean", "damaged", "pages 1 and 4 are flagged as last", twice)
    case("last_twice_unclean", "ok", "the first page that is flagged", twice, payload[:7592],
         marker="unclean")
    case("leftover_clean", "damaged", "a hole behind the last page", good + [zero])
    case("leftover_unclean", "ok", "a hole behind the last page", good + [zero], payload,
         marker="unclean")
    sparse = w.pages(payload, holes={2, 3})
    case("sparse_cut_clean", "damaged", "ends in holes", sparse[:-1])
    case("sparse_cut_unclean", "ok", "ends with the last page that is not a hole", sparse[:-1],
         payload[:7592], marker="unclean")
    case("sparse_no_last_unclean", "ok", "page 4 is full, no page is flagged",
         w.pages(payload[:-5] + b"e" * 4052, holes={2, 3}, lasts=set()),
         payload[:-5] + b"e" * 4052, marker="unclean")
    for marker in ("clean", "unclean"):
        case("damaged_page_" + marker, "damaged", "a bit of page 1",
             [good[0], flipped(good[1], 100)] + good[2:], marker=marker)
        case("pages_exchanged_" + marker, "damaged", "pages 1 and 2 exchanged",
             [good[0], good[2], good[1]] + good[3:], marker=marker)
        case("page_of_other_file_" + marker, "damaged", "page 1 of another file of the volume",
             [good[0], w.pages(payload)[1]] + good[2:], marker=marker)
        case("half_zero_page_" + marker, "damaged", "half of page 1 is zeros",
             [good[0], good[1][:2048] + bytes(2048)] + good[2:], marker=marker)
    case("header_of_other_file", "damaged", "page 0 has the header of another file",
         [w.pages(payload)[0][:512] + good[0][512:]] + good[1:])
    case("of_other_volume", "damaged", "a whole file of another volume", second.file(payload))


def main():
    for make in (recovery_keys, device_keys, slots, keybags, markers, folder_records, names,
                 sealed_values, headers, pages, files):
        make()
    os.makedirs(VECTORS, exist_ok=True)
    for name in os.listdir(VECTORS):
        if name.endswith(".vec") and name[:-4] not in written:
            os.remove(os.path.join(VECTORS, name))
    for name, data in written.items():
        with open(os.path.join(VECTORS, name + ".vec"), "wb") as stream:
            stream.write(data)
    print("%d vectors, %d bytes" % (len(written), sum(map(len, written.values()))))
    return 0


if __name__ == "__main__":
    sys.exit(main())
