#include "baseline.h"

#include <openssl/evp.h>
#include <openssl/rand.h>
#include <sodium.h>
#include <stdlib.h>
#include <string.h>

struct baseline {
    int cipher;
    int is_ready;
    uint8_t key[32];
    uint8_t subkey_mask[16];
    EVP_CIPHER *gcm;
    EVP_CIPHER_CTX *block_context;
    EVP_CIPHER_CTX *page_context;
};

enum { data_size = 72, head_size = 44 };

baseline *baseline_new(int cipher, const uint8_t key[32]) {
    baseline *self = calloc(1, sizeof *self);
    uint8_t zeros[16] = {0}, mask[16];
    int written;
    self->cipher = cipher;
    memcpy(self->key, key, 32);
    if (sodium_init() < 0) abort();
    self->gcm = EVP_CIPHER_fetch(NULL, "AES-256-GCM", NULL);
    self->block_context = EVP_CIPHER_CTX_new();
    self->page_context = EVP_CIPHER_CTX_new();
    EVP_EncryptInit_ex(self->block_context, EVP_aes_256_ecb(), NULL, key, NULL);
    EVP_CIPHER_CTX_set_padding(self->block_context, 0);
    EVP_EncryptUpdate(self->block_context, mask, &written, zeros, 16);
    int carry = mask[0] >> 7;
    for (int i = 0; i < 15; i++) mask[i] = (uint8_t)(mask[i] << 1 | mask[i + 1] >> 7);
    mask[15] = (uint8_t)(mask[15] << 1 ^ (carry ? 0x87 : 0));
    memcpy(self->subkey_mask, mask, 16);
    return self;
}

void baseline_free(baseline *self) {
    EVP_CIPHER_CTX_free(self->block_context);
    EVP_CIPHER_CTX_free(self->page_context);
    EVP_CIPHER_free(self->gcm);
    free(self);
}

static void start(baseline *self, const uint8_t *nonce, int encrypts) {
    uint8_t blocks[32] = {0, 1, 'X', 0}, derived[32];
    int written;
    memcpy(blocks + 4, nonce, 12);
    memcpy(blocks + 16, (uint8_t[]){0, 2, 'X', 0}, 4);
    memcpy(blocks + 20, nonce, 12);
    for (int i = 0; i < 32; i++) blocks[i] ^= self->subkey_mask[i % 16];
    EVP_EncryptUpdate(self->block_context, derived, &written, blocks, 32);
    EVP_CipherInit_ex2(self->page_context, self->is_ready ? NULL : self->gcm, derived, nonce + 12, encrypts, NULL);
    self->is_ready = 1;
}

void baseline_seal(baseline *self, const uint8_t *input, uint8_t *output, size_t page_count,
                   size_t payload_size, size_t page_size) {
    uint8_t data[data_size] = {0}, nonces[24 * 64];
    int written;
    for (size_t page = 0; page < page_count; page++) {
        uint8_t *out = output + page * page_size + (page_size - payload_size - head_size);
        const uint8_t *in = input + page * payload_size;
        if (page % 64 == 0) randombytes_buf(nonces, sizeof nonces);
        const uint8_t *nonce = nonces + 24 * (page % 64);
        memcpy(out, nonce, 24);
        memcpy(data + 60, &page, 8);
        if (self->cipher == 2) {
            crypto_aead_xchacha20poly1305_ietf_encrypt_detached(
                out + head_size, out + 24, NULL, in, payload_size, data, data_size, NULL, nonce,
                self->key);
            continue;
        }
        start(self, nonce, 1);
        EVP_EncryptUpdate(self->page_context, NULL, &written, data, data_size);
        EVP_EncryptUpdate(self->page_context, out + head_size, &written, in, (int)payload_size);
        EVP_EncryptFinal_ex(self->page_context, out + head_size + written, &written);
        EVP_CIPHER_CTX_ctrl(self->page_context, EVP_CTRL_AEAD_GET_TAG, 16, out + 24);
    }
}

int baseline_open(baseline *self, const uint8_t *input, uint8_t *output, size_t page_count,
                  size_t payload_size, size_t page_size) {
    uint8_t data[data_size] = {0};
    int written, ok = 1;
    for (size_t page = 0; page < page_count; page++) {
        const uint8_t *in = input + page * page_size + (page_size - payload_size - head_size);
        uint8_t *out = output + page * payload_size;
        memcpy(data + 60, &page, 8);
        if (self->cipher == 2) {
            ok &= crypto_aead_xchacha20poly1305_ietf_decrypt_detached(
                      out, NULL, in + head_size, payload_size, in + 24, data, data_size, in,
                      self->key) == 0;
            continue;
        }
        start(self, in, 0);
        EVP_DecryptUpdate(self->page_context, NULL, &written, data, data_size);
        EVP_DecryptUpdate(self->page_context, out, &written, in + head_size, (int)payload_size);
        EVP_CIPHER_CTX_ctrl(self->page_context, EVP_CTRL_AEAD_SET_TAG, 16, (void *)(in + 24));
        ok &= EVP_DecryptFinal_ex(self->page_context, out + written, &written) == 1;
    }
    return ok;
}

void baseline_names(size_t count, size_t name_size) {
    uint8_t key[64] = {1}, data[57] = {2}, name[256] = {3}, sealed[256], tag[16], opened[256];
    int written;
    EVP_CIPHER *siv = EVP_CIPHER_fetch(NULL, "AES-256-SIV", NULL);
    EVP_CIPHER_CTX *template = EVP_CIPHER_CTX_new();
    EVP_CipherInit_ex2(template, siv, key, NULL, 1, NULL);
    for (size_t index = 0; index <= count; index++) {
        // libcrypto 3.0 does one message with each keyed context.
        EVP_CIPHER_CTX *context = EVP_CIPHER_CTX_new();
        EVP_CIPHER_CTX_copy(context, template);
        EVP_CipherInit_ex2(context, NULL, NULL, NULL, index == 0, NULL);
        EVP_CipherUpdate(context, NULL, &written, data, sizeof data);
        if (index == 0) {
            EVP_CipherUpdate(context, sealed, &written, name, (int)name_size);
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_GET_TAG, 16, tag);
        } else {
            EVP_CIPHER_CTX_ctrl(context, EVP_CTRL_AEAD_SET_TAG, 16, tag);
            if (EVP_CipherUpdate(context, opened, &written, sealed, (int)name_size) != 1) abort();
        }
        EVP_CIPHER_CTX_free(context);
    }
    EVP_CIPHER_CTX_free(template);
    EVP_CIPHER_free(siv);
}
