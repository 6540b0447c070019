/*
 * libsodium: XChaCha20-Poly1305, HMAC, Argon2id, X25519, guarded memory, random bytes; and prctl().
 * Headers only, no logic.
 */
#include <sodium.h>
#include <sys/prctl.h>

/* prctl() is variadic, and Swift does not import variadic functions. */
static inline int csodium_set_dumpable(int on) { return prctl(PR_SET_DUMPABLE, on, 0, 0, 0); }
static inline int csodium_get_dumpable(void) { return prctl(PR_GET_DUMPABLE, 0, 0, 0, 0); }
