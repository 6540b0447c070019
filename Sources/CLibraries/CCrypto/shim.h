/* libcrypto (OpenSSL 3): ciphers, digests, key derivation. Headers only, no logic. */
#include <openssl/core_names.h>
#include <openssl/err.h>
#include <openssl/evp.h>
#include <openssl/kdf.h>
#include <openssl/params.h>
