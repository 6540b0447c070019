/* Seals and opens pages with libcrypto or libsodium alone, one thread, key set once. */
#include <stddef.h>
#include <stdint.h>

typedef struct baseline baseline;

/* cipher: 1 XAES-256-GCM (C2SP) through libcrypto, 2 XChaCha20-Poly1305 through libsodium. */
baseline *baseline_new(int cipher, const uint8_t key[32]);
void baseline_free(baseline *self);

/* Seals page_count payloads of payload_size bytes that follow each other in input, each with a fresh
   nonce, into pages of page_size bytes that follow each other in output: nonce, tag, word, ciphertext. */
void baseline_seal(baseline *self, const uint8_t *input, uint8_t *output, size_t page_count,
                   size_t payload_size, size_t page_size);
/* Opens the same; returns 0 when a page does not verify. */
int baseline_open(baseline *self, const uint8_t *input, uint8_t *output, size_t page_count,
                  size_t payload_size, size_t page_size);

/* Opens so many sealed names of this size, as a listing does, with libcrypto alone. */
void baseline_names(size_t count, size_t name_size);
