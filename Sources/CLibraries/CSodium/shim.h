/* libsodium: XChaCha20-Poly1305, Argon2id, X25519, guarded memory, random bytes. Headers only, no logic. */
#include <sodium.h>
