"""Section 1 of docs/format.md: the primitives, and the way a reader refuses."""

import base64
import hashlib
import hmac

from Cryptodome.Cipher import AES, ChaCha20_Poly1305
from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives import hashes
from cryptography.hazmat.primitives.asymmetric.x25519 import X25519PrivateKey, X25519PublicKey
from cryptography.hazmat.primitives.ciphers.aead import AESGCM, AESSIV
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat


class Refused(Exception):
    """What a reader says instead of giving data; `outcome` is a word of the closed list."""

    def __init__(self, outcome, why):
        super().__init__(why)
        self.outcome = outcome


def need(condition, why, outcome="damaged"):
    if not condition:
        raise Refused(outcome, why)


def need_zero(data, why):
    need(not any(data), why + " is not zero")


def label(purpose):
    return b"swift-data-protection/1 " + purpose.encode("ascii")


def hkdf(key, salt, info):
    return HKDF(algorithm=hashes.SHA256(), length=32, salt=salt, info=info).derive(key)


def sha256(data):
    return hashlib.sha256(data).digest()


def mac(key, data):
    return hmac.new(key, data, hashlib.sha256).digest()


def same(left, right):
    return hmac.compare_digest(bytes(left), bytes(right))


def base64url_encode(data):
    return base64.urlsafe_b64encode(data).rstrip(b"=")


def base64url_decode(text):
    # Python's decoder skips foreign characters and spare bits; only the round trip is strict.
    try:
        data = base64.urlsafe_b64decode(text + b"=" * (-len(text) % 4))
    except ValueError:
        raise Refused("damaged", "not base64url") from None
    need(base64url_encode(data) == text, "base64url is not canonical")
    return data


def xaes_key_and_nonce(key, nonce):
    block = AES.new(key, AES.MODE_ECB)
    doubled = int.from_bytes(block.encrypt(bytes(16)), "big") << 1
    if doubled >> 128:
        doubled = (doubled & ((1 << 128) - 1)) ^ 0x87
    mask = doubled.to_bytes(16, "big")
    inputs = (bytes([0, counter, 0x58, 0]) + nonce[:12] for counter in (1, 2))
    derived = (block.encrypt(bytes(a ^ b for a, b in zip(x, mask))) for x in inputs)
    return b"".join(derived), nonce[12:]


def aead_open(cipher, key, nonce, ciphertext, tag, ad):
    try:
        if cipher == 1:
            derived, short_nonce = xaes_key_and_nonce(key, nonce)
            return AESGCM(derived).decrypt(short_nonce, ciphertext + tag, ad)
        box = ChaCha20_Poly1305.new(key=key, nonce=nonce)
        box.update(ad)
        return box.decrypt_and_verify(ciphertext, tag)
    except (InvalidTag, ValueError):
        raise Refused("damaged", "does not authenticate") from None


def unwrap(cipher, under, wrapped, ad):
    return aead_open(cipher, under, wrapped[:24], wrapped[24:56], wrapped[56:72], ad)


def siv_open(key, sealed, ad):
    need(len(sealed) > 16, "a sealed name is too short")
    try:
        return AESSIV(key).decrypt(sealed, [ad])
    except InvalidTag:
        raise Refused("damaged", "a sealed name does not authenticate") from None


def x25519(private, public):
    try:
        return X25519PrivateKey.from_private_bytes(private).exchange(
            X25519PublicKey.from_public_bytes(public))
    except ValueError:  # the library refuses a Z of zeros
        raise Refused("damaged", "the shared secret is zero") from None


def x25519_public(private):
    return X25519PrivateKey.from_private_bytes(private).public_key().public_bytes(
        Encoding.Raw, PublicFormat.Raw)
