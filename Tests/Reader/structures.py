"""Sections 2 to 9 of docs/format.md: the keys, and a function for each structure of a volume."""

import hashlib
import struct
import unicodedata

from argon2.low_level import Type, hash_secret_raw

from primitives import (Refused, aead_open, base64url_decode, base64url_encode, hkdf, label, mac,
                        need, need_zero, same, sha256, siv_open, unwrap, x25519, x25519_public)

PAGE = 4096
CLASSES = {1: "complete", 2: "completeUnlessOpen",
           3: "completeUntilFirstUserAuthentication", 4: "none"}
CIPHERS = {1: "xaes-256-gcm", 2: "xchacha20-poly1305"}
RULE_SETS = {1: "safer", 2: "apple"}
CROCKFORD = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


# Section 2, keys

class Keys:
    """The keys of one volume, as far as the lock state lets a reader have them."""

    def __init__(self, volume_id, cipher, root, secret, private_names=False, state="unlocked"):
        self.volume_id, self.cipher, self.root = volume_id, cipher, root
        self.secret = None if state == "before-first-unlock" else secret
        self.state = state if self.secret else "before-first-unlock"
        self.private_names = private_names

    def derive(self, key, purpose):
        return hkdf(key, self.volume_id, label(purpose))

    def class_key(self, number):
        if number == 4:
            return self.derive(self.root, "class none")
        there = self.secret and (number == 3 or self.state == "unlocked")
        need(there, "the key of class %s is not there" % CLASSES[number], "sealed")
        return self.derive(self.secret, "class " + CLASSES[number])

    def metadata_key(self, purpose):
        root = self.secret if self.private_names else self.root
        need(root, "private names are sealed before the first unlock", "sealed")
        return self.derive(root, purpose)

    def names_key(self):
        return self.metadata_key("names authentication") + self.metadata_key("names encryption")

    def key_encryption_key(self, number, file_id, ephemeral):
        key = self.class_key(number)
        if number != 2:
            return key
        salt = self.derive(self.root, "class completeUnlessOpen salt")
        info = (label("class completeUnlessOpen file") + self.volume_id + file_id + ephemeral
                + x25519_public(key))
        return hkdf(x25519(key, ephemeral), salt, info)


# Section 4, device key file

def read_device_key(data):
    need(len(data) == 64 and data[:8] == b"SDPDEVK1", "not a device key file")
    need(same(data[56:64], sha256(data[:56])[:8]), "the device key file's checksum is wrong")
    return data[8:24], data[24:56]


# Section 5, keybag

def check_keybag(data):
    """Refuses a copy that is not whole. Needs no key."""
    need(data[:8] == b"SDPKEYBG" and len(data) >= 12, "not a keybag")
    version = struct.unpack_from("<I", data, 8)[0]
    need(version <= 1, "the volume has a newer format", "newer-format")
    need(version == 1 and len(data) == PAGE, "the keybag's version or length is wrong")
    need(same(data[1552:1584], sha256(data[:1552])), "the keybag's checksum is wrong")
    for first, last in ((12, 16), (44, 48), (1584, PAGE)):
        need_zero(data[first:last], "keybag byte %d" % first)
    need(struct.unpack_from("<Q", data, 32)[0] >= 1, "the keybag's generation is 0")
    need(data[40] in CIPHERS and data[41] in RULE_SETS and data[42] in CLASSES,
         "a number in the keybag is out of range")
    need_zero([data[43] & ~3], "a reserved keybag flag")
    for slot in slots_of(data):
        check_slot(slot)


def slots_of(data):
    return [data[240 + 160 * index:400 + 160 * index] for index in range(8)]


def check_slot(slot):
    kind, passes, memory = slot[0], *struct.unpack_from("<IQ", slot, 4)
    need(kind <= 3, "a slot's kind is out of range")
    if kind == 0:
        need_zero(slot, "an empty slot")
    need_zero(slot[1:4] + slot[120:160], "a slot")
    if kind == 1:
        need(1 <= passes <= 64 and 8192 <= memory <= 1 << 32 and memory % 1024 == 0,
             "a slot's cost is out of range")
    else:
        need_zero(slot[4:32], "the cost of a slot without passcode")


def choose_keybag(copies):
    """Of a list of copies (None where missing): the index of the one that counts, and states."""
    need(any(copy is not None for copy in copies), "no keybag", "not-a-volume")
    whole, states = [], []
    for index, copy in enumerate(copies):
        try:
            need(copy is not None, "missing", "missing")
            check_keybag(copy)
            whole.append(index)
            states.append("whole")
        except Refused as refusal:
            states.append(refusal.outcome)
    need(whole or "newer-format" not in states, "the volume has a newer format", "newer-format")
    need(whole, "no copy of the keybag is whole")
    need(len({copies[index][16:32] for index in whole}) == 1, "the copies are of two volumes")
    return max(whole, key=lambda i: (struct.unpack_from("<Q", copies[i], 32)[0], -i)), states


def read_recovery_key(text):
    text = text.upper().replace(" ", "").replace("-", "")
    text = text.replace("O", "0").replace("I", "1").replace("L", "1")
    outcome = "not-a-recovery-key"
    need(len(text) == 36 and all(c in CROCKFORD for c in text), "not a recovery key", outcome)
    number = 0
    for character in text:
        number = number << 5 | CROCKFORD.index(character)
    key = (number >> 20).to_bytes(20, "big")
    check = int.from_bytes(sha256(label("recovery key") + key)[:3], "big") >> 4
    need(number & 0xFFFFF == check, "a mistyped recovery key", outcome)
    return key


def read_passcode(data):
    try:
        passcode = unicodedata.normalize("NFC", data.decode("utf-8")).encode("utf-8")
    except UnicodeDecodeError:
        raise Refused("wrong-passcode", "a passcode is UTF-8") from None
    need(1 <= len(passcode) <= 1024, "a passcode has 1 to 1024 bytes", "wrong-passcode")
    return passcode


def open_slot(slot, volume_id, cipher, device_key=None, passcode=None, recovery=None):
    """The keybag secret out of a slot that check_slot has passed."""
    kind, passes, memory = slot[0], *struct.unpack_from("<IQ", slot, 4)
    slot_id = slot[32:48]
    if kind == 1:
        stretched = hash_secret_raw(read_passcode(passcode), slot[16:32], passes, memory // 1024,
                                    1, 32, Type.ID, 0x13)
        key = hkdf(stretched, device_key, label("slot passcode") + volume_id + slot_id)
    elif kind == 2:
        key = hkdf(recovery, volume_id, label("slot recovery") + slot_id)
    else:
        key = hkdf(device_key, volume_id, label("slot device") + slot_id)
    try:
        return unwrap(cipher, key, slot[48:120], label("slot") + volume_id + slot[:48])
    except Refused:
        raise Refused("wrong-passcode", "the slot does not unwrap") from None


def try_slots(slots, kind, *arguments, **secrets):
    for slot in slots:
        if slot[0] == kind:
            try:
                return open_slot(slot, *arguments, **secrets)
            except Refused:
                continue
    return None


def open_keybag(data, device=None, passcode=None, recovery=None, unlock=True):
    """Keys out of a whole copy; `device` is a pair of device id and device key."""
    volume_id, cipher, device_id, slots = data[16:32], data[40], data[48:64], slots_of(data)
    secret = None
    if recovery is not None:
        secret = try_slots(slots, 2, volume_id, cipher, recovery=recovery)
        need(secret, "no slot for this recovery key", "wrong-passcode")
        root = unwrap(cipher, hkdf(secret, volume_id, label("volume root keybag")),
                      data[168:240], label("volume root keybag") + volume_id)
    else:
        need(device and device[0] == device_id, "the device key is missing or another's",
             "other-device")
        root = unwrap(cipher, hkdf(device[1], volume_id, label("volume root device")),
                      data[96:168], label("volume root device") + volume_id + device_id)
    keys = Keys(volume_id, cipher, root, None)
    need(same(data[1520:1552], mac(keys.derive(root, "keybag"), data[:1520])),
         "the keybag's MAC is wrong")
    if recovery is None and unlock:
        # Costs are authenticated by now, so a forged one cannot exhaust the machine.
        secret = try_slots(slots, 3, volume_id, cipher, device_key=device[1])
        if secret is None and passcode is not None:
            secret = try_slots(slots, 1, volume_id, cipher, device_key=device[1],
                               passcode=passcode)
        refused = secret is None and (passcode is not None or any(s[0] == 3 for s in slots))
        need(not refused, "no slot unwraps", "wrong-passcode")
    keys = Keys(volume_id, cipher, root, secret, bool(data[43] & 1))
    if secret:
        need(x25519_public(keys.class_key(2)) == data[64:96], "the class B public key is wrong")
    return keys if unlock else Keys(volume_id, cipher, root, None, bool(data[43] & 1))


# Section 6, marker

def read_marker(data, keys):
    need(len(data) == 80 and data[:8] == b"SDPMARK1", "not a marker")
    expected = mac(keys.derive(keys.root, "marker"), label("marker") + data[:48])
    need(same(data[48:80], expected), "the marker's MAC is wrong")
    state, zero, session, time = *struct.unpack_from("<II", data, 8), \
        *struct.unpack_from("<QQ", data, 32)
    need(state in (1, 2) and zero == 0 and data[16:32] == keys.volume_id, "not this marker")
    return {"state": {1: "clean", 2: "unclean"}[state], "session": session, "time": time}


# Section 7, folders and names

def read_folder_record(target, keys):
    """Class number, folder id and kept mode (or None)."""
    record = base64url_decode(target)
    need(len(record) in (34, 38), "not a folder record")
    need(record[0] == (1 if len(record) == 34 else 2) and record[1] <= 4, "not a folder record")
    number, folder_id, end = record[1], record[2:18], len(record) - 16
    mode = None if end == 18 else int.from_bytes(record[18:22], "little")
    need(mode is None or mode <= 0o7777, "a mode has 12 bits")
    try:
        key = keys.metadata_key("folder record")
    except Refused:
        return number, folder_id, mode  # unverified; nothing below it can be named either
    expected = mac(key, label("folder record") + keys.volume_id + record[:end])[:16]
    need(same(record[end:], expected), "the folder record's MAC is wrong")
    return number, folder_id, mode


def read_name(host_name, link, folder_id, keys):
    """A logical name; `link` is the target of the `.name-` link of a long name."""
    key = keys.names_key()
    if host_name.startswith(b".long-"):
        need(link is not None, "a long name's link is missing")
        sealed = base64url_decode(link)
        need(base64url_encode(sha256(sealed)) == host_name[6:], "a long name's link is another's")
        need(len(link) > 255, "a name that needs no link has one")
    else:
        sealed = base64url_decode(host_name)
    name = siv_open(key, sealed, label("name") + keys.volume_id + folder_id)
    need(len(name) <= 255 and name not in (b".", b".."), "not a name")
    need(b"/" not in name and b"\0" not in name, "not a name")
    return name


def open_box(box, keys, ad):
    need(len(box) >= 40, "a sealed value is too short")
    return aead_open(keys.cipher, keys.metadata_key("attributes"), box[:24], box[24:-16],
                     box[-16:], ad)


def read_symbolic_link(target, keys):
    return open_box(base64url_decode(target), keys, label("symbolic link") + keys.volume_id)


def read_attribute(host_name, value, keys):
    need(host_name.startswith(b"user."), "not a user attribute")
    name = siv_open(keys.names_key(), base64url_decode(host_name[5:]),
                    label("attribute name") + keys.volume_id)
    return name, open_box(value, keys, label("attribute") + keys.volume_id + name)


# Section 8, a file

def read_header(header, keys):
    """Fields of a header; `file_key` is there, or the header is refused as sealed or damaged."""
    need(header[:8] == b"SDPFILE1", "not a file of a volume")
    need(same(header[480:512], sha256(header[:480])), "the header's checksum is wrong")
    number, cipher, file_id, ephemeral = header[8], header[9], header[32:48], header[48:80]
    flags, mode = struct.unpack_from("<I", header, 152)[0], struct.unpack_from("<I", header, 172)[0]
    need(number in CLASSES and cipher in CIPHERS, "a number in the header is out of range")
    need_zero(header[10:16] + header[192:480], "the header")
    need(header[16:32] == keys.volume_id, "a file of another volume")
    if number != 2:
        need_zero(ephemeral, "the ephemeral key of a file that is not of class B")
    need_zero([flags & ~1, mode & ~0x80000FFF], "a reserved bit of the header")
    bound = keys.volume_id + file_id
    try:
        expected = mac(keys.metadata_key("file mode"), label("file mode") + bound + header[172:176])
        need(same(header[176:192], expected[:16]), "the kept mode's MAC is wrong")
        kept = mode & 0xFFF if mode >> 31 else None
    except Refused as refusal:
        if refusal.outcome != "sealed":
            raise
        kept = "unavailable"
    key = keys.key_encryption_key(number, file_id, ephemeral)
    file_key = unwrap(cipher, key, header[80:152], label("file key") + header[:80])
    expected = mac(keys.derive(file_key, "file flags"),
                   label("file flags") + bound + header[152:156])
    need(same(header[156:172], expected[:16]), "the flags' MAC is wrong")
    return {"class": number, "cipher": cipher, "file_id": file_id, "file_key": file_key,
            "sparse": bool(flags & 1), "mode": kept}


def read_page(page, number, file_key, cipher, volume_id, file_id):
    """Payload and last flag of a page that is not a hole."""
    start, capacity = (512, 3540) if number == 0 else (0, 4052)
    nonce, tag = page[start:start + 24], page[start + 24:start + 40]
    word = struct.unpack_from("<I", page, start + 40)[0]
    length, last = word & 0xFFFF, bool(word >> 31)
    ad = label("page") + volume_id + file_id + struct.pack("<QI", number, word)
    plaintext = aead_open(cipher, file_key, nonce, page[start + 44:], tag, ad)
    need(not word & 0x7FFF0000 and length <= capacity, "a page's word is out of range")
    need(last or length == capacity, "a page that is not the last is not full")
    need(length > 0 or number == 0, "a last page is empty")
    need_zero(plaintext[length:], "the end of a page")
    return plaintext[:length], last


# Section 9, size

def read_file(stream, host_size, keys, unclean, folder_class, hint=None):
    """Class, header, size and SHA-256 of a regular file."""
    first = stream.read(PAGE)
    if len(first) < PAGE or not any(first):
        need(unclean, "a file without a header")
        number = min(folder_class, hint if hint in CLASSES else 4)
        return {"class": number, "mode": None, "size": 0, "sha256": sha256(b"").hex()}
    header = read_header(first[:512], keys)
    need(unclean or host_size % PAGE == 0, "the host size is no multiple of 4096")
    digest, size, holes, ended = hashlib.sha256(), 0, 0, False
    pages = host_size // PAGE
    for number in range(pages):
        page = first if number == 0 else stream.read(PAGE)
        if number and not any(page):
            need(header["sparse"] or unclean, "a hole in a file that is not sparse")
            if not header["sparse"]:
                break
            holes += 1
            continue
        payload, ended = read_page(page, number, header["file_key"], header["cipher"],
                                   keys.volume_id, header["file_id"])
        for _ in range(holes):
            digest.update(bytes(4052))
        digest.update(payload)
        size, holes = size + holes * 4052 + len(payload), 0
        if ended:
            need(unclean or number == pages - 1, "a last page before the host's last page")
            break
    need(ended or unclean, "the file is cut")
    return dict(header, size=size, sha256=digest.hexdigest())
