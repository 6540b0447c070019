#!/usr/bin/python3
"""The least writer that makes test vectors and sample volumes, the same bytes for the same seed.

Every builder takes `change`, a dictionary from the name of a stage to a function that may alter
the bytes built so far; what follows the stage (wraps, MACs, checksums) is computed over the
altered bytes. So a vector breaks one layer and no other.
"""

import argparse
import os
import struct
import sys
import unicodedata

from argon2.low_level import Type, hash_secret_raw
from Cryptodome.Cipher import AES, ChaCha20_Poly1305
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from primitives import (base64url_encode, hkdf, label, mac, sha256, x25519_public,
                        xaes_key_and_nonce)
from structures import CLASSES, CROCKFORD, PAGE


class Seeded:
    """Bytes that look random and depend on nothing but the seed and their order."""

    def __init__(self, seed):
        self.seed, self.counter = str(seed).encode(), 0

    def bytes(self, count):
        data = b""
        while len(data) < count:
            data += sha256(self.seed + struct.pack("<Q", self.counter))
            self.counter += 1
        return data[:count]


def aead_seal(cipher, key, nonce, plaintext, ad):
    """Ciphertext and tag."""
    if cipher == 1:
        derived, short_nonce = xaes_key_and_nonce(key, nonce)
        sealed = AESGCM(derived).encrypt(short_nonce, plaintext, ad)
        return sealed[:-16], sealed[-16:]
    box = ChaCha20_Poly1305.new(key=key, nonce=nonce)
    box.update(ad)
    return box.encrypt_and_digest(plaintext)


def write_recovery_key(key):
    check = int.from_bytes(sha256(label("recovery key") + key)[:3], "big") >> 4
    number = int.from_bytes(key, "big") << 20 | check
    digits = [CROCKFORD[number >> shift & 31] for shift in range(175, -1, -5)]
    return "-".join("".join(digits[at:at + 4]) for at in range(0, 36, 4))


def shared_secret(private, public):
    try:
        return X25519PrivateKey.from_private_bytes(private).exchange(
            X25519PublicKey.from_public_bytes(public))
    except ValueError:
        return bytes(32)  # a vector needs what a careless reader would compute


def device_key_file(device_id, device_key, change=None):
    data = bytearray(b"SDPDEVK1" + device_id + device_key)
    stage(change, "fields", data)
    data += sha256(bytes(data))[:8]
    stage(change, "end", data)
    return bytes(data)


def stage(change, name, data):
    if change and name in change:
        change[name](data)


class Writer:
    def __init__(self, seed, cipher=1, rule_set=1, default_class=3, private_names=False,
                 passcode_delays=False, generation=1):
        self.random = Seeded(seed)
        self.cipher, self.rule_set, self.default_class = cipher, rule_set, default_class
        self.private_names, self.generation = private_names, generation
        self.flags = (1 if private_names else 0) | (2 if passcode_delays else 0)
        self.volume_id, self.device_id = self.random.bytes(16), self.random.bytes(16)
        self.root, self.secret = self.random.bytes(32), self.random.bytes(32)
        self.device_key, self.recovery = self.random.bytes(32), self.random.bytes(20)

    # Section 2

    def derive(self, key, purpose):
        return hkdf(key, self.volume_id, label(purpose))

    def class_key(self, number):
        root = self.root if number == 4 else self.secret
        return self.derive(root, "class " + CLASSES[number])

    def metadata_key(self, purpose):
        return self.derive(self.secret if self.private_names else self.root, purpose)

    def class_b_key(self, file_id, ephemeral, secret):
        public = x25519_public(self.class_key(2))
        info = (label("class completeUnlessOpen file") + self.volume_id + file_id + ephemeral
                + public)
        return hkdf(secret, self.derive(self.root, "class completeUnlessOpen salt"), info)

    def wrap(self, key, under, ad, cipher=None):
        nonce = self.random.bytes(24)
        return nonce + b"".join(aead_seal(cipher or self.cipher, under, nonce, key, ad))

    # Section 5

    def slot(self, kind, passcode=b"", passes=1, memory=8192, change=None):
        head = bytearray(48)
        head[0] = kind
        head[32:48] = self.random.bytes(16)
        if kind == 1:
            struct.pack_into("<IQ", head, 4, passes, memory)
            head[16:32] = self.random.bytes(16)
        stage(change, "fields", head)
        slot_id = bytes(head[32:48])
        if kind == 1:
            normal = unicodedata.normalize("NFC", passcode.decode()).encode()
            stretched = hash_secret_raw(normal, bytes(head[16:32]), passes, memory // 1024, 1, 32,
                                        Type.ID, 0x13)
            key = hkdf(stretched, self.device_key,
                       label("slot passcode") + self.volume_id + slot_id)
        elif kind == 2:
            key = hkdf(self.recovery, self.volume_id, label("slot recovery") + slot_id)
        else:
            key = hkdf(self.device_key, self.volume_id, label("slot device") + slot_id)
        ad = label("slot") + self.volume_id + bytes(head)
        data = head + self.wrap(self.secret, key, ad) + bytes(40)
        stage(change, "end", data)
        return bytes(data)

    def keybag(self, slots, change=None):
        data = bytearray(1520)
        struct.pack_into("<8sII16sQBBBB", data, 0, b"SDPKEYBG", 1, 0, self.volume_id,
                         self.generation, self.cipher, self.rule_set, self.default_class,
                         self.flags)
        data[48:64] = self.device_id
        data[64:96] = x25519_public(self.class_key(2))
        purpose = label("volume root device")
        data[96:168] = self.wrap(self.root, hkdf(self.device_key, self.volume_id, purpose),
                                 purpose + self.volume_id + self.device_id)
        purpose = label("volume root keybag")
        data[168:240] = self.wrap(self.root, hkdf(self.secret, self.volume_id, purpose),
                                  purpose + self.volume_id)
        data[240:240 + 160 * len(slots)] = b"".join(slots)
        stage(change, "fields", data)
        data += mac(self.derive(self.root, "keybag"), bytes(data))
        stage(change, "mac", data)
        data += sha256(bytes(data))
        stage(change, "sum", data)
        data += bytes(PAGE - len(data))
        stage(change, "end", data)
        return bytes(data)

    # Section 6

    def marker(self, state, session=1, time=1700000000000000000, change=None):
        data = bytearray(struct.pack("<8sII16sQQ", b"SDPMARK1", state, 0, self.volume_id,
                                     session, time))
        stage(change, "fields", data)
        data += mac(self.derive(self.root, "marker"), label("marker") + bytes(data))
        stage(change, "end", data)
        return bytes(data)

    # Section 7

    def folder_record(self, number, folder_id, change=None, mode=None):
        data = bytearray(bytes([1 if mode is None else 2, number]) + folder_id)
        if mode is not None:
            data += mode.to_bytes(4, "little")
        stage(change, "fields", data)
        data += mac(self.metadata_key("folder record"),
                    label("folder record") + self.volume_id + bytes(data))[:16]
        stage(change, "end", data)
        return base64url_encode(bytes(data))

    def siv(self, name, ad):
        key = self.metadata_key("names authentication") + self.metadata_key("names encryption")
        box = AES.new(key, AES.MODE_SIV)
        box.update(ad)
        ciphertext, synthetic_iv = box.encrypt_and_digest(name)
        return synthetic_iv + ciphertext

    def sealed_name(self, name, folder_id):
        return self.siv(name, label("name") + self.volume_id + folder_id)

    def host_name(self, name, folder_id):
        """Host name, and the target of the link of a long name or None."""
        sealed = self.sealed_name(name, folder_id)
        encoded = base64url_encode(sealed)
        if len(encoded) <= 255:
            return encoded, None
        return b".long-" + base64url_encode(sha256(sealed)), encoded

    def box(self, plaintext, ad):
        nonce = self.random.bytes(24)
        return nonce + b"".join(aead_seal(self.cipher, self.metadata_key("attributes"), nonce,
                                          plaintext, ad))

    def symbolic_link(self, target):
        return base64url_encode(self.box(target, label("symbolic link") + self.volume_id))

    def attribute(self, name, value):
        sealed = self.siv(name, label("attribute name") + self.volume_id)
        ad = label("attribute") + self.volume_id + name
        return b"user." + base64url_encode(sealed), self.box(value, ad)

    # Section 8

    def header(self, number, file_id, file_key, cipher=None, flags=0, mode=0, ephemeral=None,
               key_class=None, mac_volume_id=None, change=None):
        cipher = cipher or self.cipher
        data = bytearray(480)
        data[:10] = b"SDPFILE1" + bytes([number, cipher])
        data[16:48] = self.volume_id + file_id
        key_class = key_class or number
        if key_class == 2:
            private = self.random.bytes(32)
            public = ephemeral or x25519_public(private)
            secret = shared_secret(self.class_key(2) if ephemeral else private,
                                   public if ephemeral else x25519_public(self.class_key(2)))
            data[48:80] = public
            key = self.class_b_key(file_id, public, secret)
        else:
            key = self.class_key(key_class)
        stage(change, "fields", data)
        data[80:152] = self.wrap(file_key, key, label("file key") + bytes(data[:80]), cipher)
        stage(change, "wrapped", data)
        volume_id, file_id = mac_volume_id or bytes(data[16:32]), bytes(data[32:48])
        struct.pack_into("<I", data, 152, flags)
        data[156:172] = mac(self.derive(file_key, "file flags"),
                            label("file flags") + volume_id + file_id + bytes(data[152:156]))[:16]
        struct.pack_into("<I", data, 172, mode)
        data[176:192] = mac(self.metadata_key("file mode"),
                            label("file mode") + volume_id + file_id + bytes(data[172:176]))[:16]
        stage(change, "macs", data)
        data += sha256(bytes(data))
        stage(change, "end", data)
        return bytes(data)

    def page(self, number, file_id, file_key, payload, last, header=b"", cipher=None, word=None,
             padding=None, change=None):
        capacity = 4052 if number else 3540
        if word is None:
            word = len(payload) | (1 << 31 if last else 0)
        plaintext = payload + (padding or b"").ljust(capacity - len(payload), b"\0")
        ad = (label("page") + self.volume_id + file_id + struct.pack("<QI", number, word))
        nonce = self.random.bytes(24)
        ciphertext, tag = aead_seal(cipher or self.cipher, file_key, nonce, plaintext, ad)
        data = bytearray(header + nonce + tag + struct.pack("<I", word) + ciphertext)
        stage(change, "end", data)
        return bytes(data)

    def pages(self, payload, number=4, holes=(), flags=None, mode=0, cipher=None, lasts=None):
        """The pages of a file as a list; `lasts` names the pages that carry the last flag."""
        file_id, file_key = self.random.bytes(16), self.random.bytes(32)
        if flags is None:
            flags = 1 if holes else 0
        header = self.header(number, file_id, file_key, cipher=cipher, flags=flags, mode=mode)
        parts = [payload[:3540]]
        parts += [payload[at:at + 4052] for at in range(3540, len(payload), 4052)]
        lasts = {len(parts) - 1} if lasts is None else lasts
        return [bytes(PAGE) if index in holes else
                self.page(index, file_id, file_key, part, index in lasts,
                          b"" if index else header, cipher)
                for index, part in enumerate(parts)]

    def file(self, payload, **options):
        return b"".join(self.pages(payload, **options))


class Folder:
    """A folder of a sample volume on the host."""

    def __init__(self, writer, host, number=0):
        self.writer, self.host = writer, host
        self.id = writer.random.bytes(16)
        os.makedirs(host, exist_ok=True)
        os.symlink(writer.folder_record(number, self.id), os.path.join(host, b".folder"))

    def place(self, name):
        host_name, link = self.writer.host_name(name, self.id)
        if link:
            os.symlink(link, os.path.join(self.host, b".name-" + host_name[6:]))
        return os.path.join(self.host, host_name)

    def add_folder(self, name, number=0):
        return Folder(self.writer, self.place(name), number)

    def add_link(self, name, target):
        os.symlink(self.writer.symbolic_link(target), self.place(name))

    def add_file(self, name, payload, host_mode=0o644, attributes=(), raw=None, **options):
        place = self.place(name)
        put(place, self.writer.file(payload, **options) if raw is None else raw)
        os.chmod(place, host_mode)
        for attribute, value in attributes:
            os.setxattr(place, *self.writer.attribute(attribute, value))


def put(place, data):
    with open(place, "wb") as stream:
        stream.write(data)


def make_sample(writer, host, passcode=b"correct horse", unclean=False):
    """A small volume with one of everything; returns the text of its recovery key."""
    host = os.fsencode(host)
    top = Folder(writer, host)
    for number in CLASSES:
        top.add_file(b"class-%d.txt" % number, b"class %d\n" % number, number=number)
    top.add_file(b"attributed", b"x", attributes=[(b"colour", b"green")])
    top.add_file(b"read-only-for-nobody", b"kept", host_mode=0o600, mode=1 << 31 | 0o040)
    top.add_file(b"sparse", bytes(3540 + 4052) + b"end", holes={1})
    top.add_file("n\u00e4me \u2713".encode(), b"y" * 9000, number=1)
    inner = top.add_folder(b"folder", 1)
    inner.add_file(b"l" * 255, b"a long name", number=1)
    inner.add_folder(b"empty")
    inner.add_link(b"link", b"../class-4.txt")
    os.mkfifo(inner.place(b"pipe"))
    if unclean:
        inner.add_file(b"never-written", b"", raw=b"")
    slots = [writer.slot(1, passcode) if passcode else writer.slot(3), writer.slot(2)]
    bag = writer.keybag(slots)
    put(os.path.join(host, b".keybag-2"), bag)
    put(os.path.join(host, b".keybag-1"), bag)
    put(os.path.join(host, b".marker"), writer.marker(2 if unclean else 1))
    return write_recovery_key(writer.recovery)


def main():
    parser = argparse.ArgumentParser(description="Makes a sample volume.")
    parser.add_argument("volume", help="a folder that does not exist yet")
    parser.add_argument("device_key", help="where to put the device key file")
    parser.add_argument("--seed", default="0")
    parser.add_argument("--cipher", type=int, choices=(1, 2), default=1)
    parser.add_argument("--rule-set", type=int, choices=(1, 2), default=1)
    parser.add_argument("--default-class", type=int, choices=tuple(CLASSES), default=3)
    parser.add_argument("--passcode", default="correct horse", help="empty for none")
    parser.add_argument("--private-names", action="store_true")
    parser.add_argument("--unclean", action="store_true")
    chosen = parser.parse_args()
    if os.path.lexists(chosen.volume):
        parser.error("the volume exists")
    writer = Writer(chosen.seed, chosen.cipher, chosen.rule_set, chosen.default_class,
                    chosen.private_names)
    put(chosen.device_key, device_key_file(writer.device_id, writer.device_key))
    os.chmod(chosen.device_key, 0o600)
    print(make_sample(writer, chosen.volume, chosen.passcode.encode(), chosen.unclean))
    return 0


if __name__ == "__main__":
    sys.exit(main())
