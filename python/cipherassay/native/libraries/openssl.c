/* OpenSSL: its functions for one block of a cipher, which take no vector code; where it has none, EVP in ECB mode. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/aes.h>
#include <openssl/blowfish.h>
#include <openssl/camellia.h>
#include <openssl/cast.h>
#include <openssl/crypto.h>
#include <openssl/des.h>
#include <openssl/evp.h>
#include <openssl/seed.h>

#include "assay.h"

/* A cipher of which one function makes the keys of both directions. */
#define ADAPT(SLUG, BYTES, KEYS, SET, FORWARD, BACKWARD)                               \
    static int SLUG##_key(void *ctx, const uint8_t *key, size_t key_bits)              \
    {                                                                                  \
        KEYS *keys = ctx;                                                              \
        return SET;                                                                    \
    }                                                                                  \
    static void SLUG##_encrypt(const void *ctx, const uint8_t *in, uint8_t *out)       \
    {                                                                                  \
        KEYS *keys = (KEYS *)ctx;                                                      \
        FORWARD;                                                                       \
    }                                                                                  \
    static void SLUG##_decrypt(const void *ctx, const uint8_t *in, uint8_t *out)       \
    {                                                                                  \
        KEYS *keys = (KEYS *)ctx;                                                      \
        BACKWARD;                                                                      \
    }                                                                                  \
    const struct assay_cipher assay_##SLUG = {                                         \
        sizeof(KEYS), BYTES, SLUG##_key, SLUG##_key, SLUG##_encrypt, SLUG##_decrypt, 0, \
    };

static int aes_encrypt_key(void *ctx, const uint8_t *key, size_t key_bits)
{
    return AES_set_encrypt_key(key, (int)key_bits, ctx);
}

static int aes_decrypt_key(void *ctx, const uint8_t *key, size_t key_bits)
{
    return AES_set_decrypt_key(key, (int)key_bits, ctx);
}

static void aes_encrypt(const void *ctx, const uint8_t *in, uint8_t *out)
{
    AES_encrypt(in, out, ctx);
}

static void aes_decrypt(const void *ctx, const uint8_t *in, uint8_t *out)
{
    AES_decrypt(in, out, ctx);
}

const struct assay_cipher assay_rijndael = {
    sizeof(AES_KEY), 16, aes_encrypt_key, aes_decrypt_key, aes_encrypt, aes_decrypt, 0,
};

struct triple_key {
    DES_key_schedule k1, k2, k3;
};

static int set_des(DES_key_schedule *keys, const uint8_t *key)
{
    DES_set_key_unchecked((const_DES_cblock *)key, keys);
    return 0;
}

/* Of two keys the first is the third, too. */
static int set_triple(struct triple_key *keys, const uint8_t *key, size_t key_bits)
{
    if (key_bits != 128 && key_bits != 192)
        return -1;
    set_des(&keys->k1, key);
    set_des(&keys->k2, key + 8);
    if (key_bits == 192)
        return set_des(&keys->k3, key + 16);
    keys->k3 = keys->k1;
    return 0;
}

#define BLOCKS (const_DES_cblock *)in, (DES_cblock *)out
#define TRIPLE &keys->k1, &keys->k2, &keys->k3

ADAPT(blowfish, 8, BF_KEY, (BF_set_key(keys, (int)(key_bits / 8), key), 0), BF_ecb_encrypt(in, out, keys, BF_ENCRYPT),
      BF_ecb_encrypt(in, out, keys, BF_DECRYPT))
ADAPT(camellia, 16, CAMELLIA_KEY, Camellia_set_key(key, (int)key_bits, keys), Camellia_encrypt(in, out, keys),
      Camellia_decrypt(in, out, keys))
ADAPT(cast128, 8, CAST_KEY, (CAST_set_key(keys, (int)(key_bits / 8), key), 0),
      CAST_ecb_encrypt(in, out, keys, CAST_ENCRYPT), CAST_ecb_encrypt(in, out, keys, CAST_DECRYPT))
ADAPT(des, 8, DES_key_schedule, key_bits == 64 ? set_des(keys, key) : -1, DES_ecb_encrypt(BLOCKS, keys, DES_ENCRYPT),
      DES_ecb_encrypt(BLOCKS, keys, DES_DECRYPT))
ADAPT(seed, 16, SEED_KEY_SCHEDULE, key_bits == 128 ? (SEED_set_key(key, keys), 0) : -1, SEED_encrypt(in, out, keys),
      SEED_decrypt(in, out, keys))
ADAPT(tdes, 8, struct triple_key, set_triple(keys, key, key_bits), DES_ecb3_encrypt(BLOCKS, TRIPLE, DES_ENCRYPT),
      DES_ecb3_encrypt(BLOCKS, TRIPLE, DES_DECRYPT))

/* Ciphers that the library has behind EVP only. */
struct handle {
    EVP_CIPHER_CTX *state;
    EVP_CIPHER *cipher;
};

static int set_key(struct handle *handle, const char *name, const uint8_t *key, size_t key_bits, int forward)
{
    if (handle->state == NULL) {
        handle->state = EVP_CIPHER_CTX_new();
        handle->cipher = EVP_CIPHER_fetch(NULL, name, NULL);
        if (handle->state == NULL || handle->cipher == NULL)
            return -1;
        if (!EVP_CipherInit_ex2(handle->state, handle->cipher, NULL, NULL, forward, NULL))
            return -1;
        EVP_CIPHER_CTX_set_padding(handle->state, 0);
    }
    if (EVP_CIPHER_get_key_length(handle->cipher) != (int)(key_bits / 8))
        return -1;
    return EVP_CipherInit_ex2(handle->state, NULL, key, NULL, forward, NULL) ? 0 : -1;
}

static void release(void *ctx)
{
    struct handle *handle = ctx;
    EVP_CIPHER_CTX_free(handle->state);
    EVP_CIPHER_free(handle->cipher);
    handle->state = NULL;
    handle->cipher = NULL;
}

/* The handle knows its direction from the key. */
static void evp_block(const void *ctx, const uint8_t *in, uint8_t *out)
{
    const struct handle *handle = ctx;
    int written;
    EVP_CipherUpdate(handle->state, out, &written, in, EVP_CIPHER_get_block_size(handle->cipher));
}

#define ADAPT_EVP(SYMBOL, BYTES, NAME)                                                  \
    static int SYMBOL##_forward_key(void *ctx, const uint8_t *key, size_t key_bits)     \
    {                                                                                   \
        return set_key(ctx, NAME, key, key_bits, 1);                                    \
    }                                                                                   \
    static int SYMBOL##_backward_key(void *ctx, const uint8_t *key, size_t key_bits)    \
    {                                                                                   \
        return set_key(ctx, NAME, key, key_bits, 0);                                    \
    }                                                                                   \
    const struct assay_cipher assay_##SYMBOL = {                                        \
        sizeof(struct handle), BYTES, SYMBOL##_forward_key, SYMBOL##_backward_key, evp_block, evp_block, release, \
    };

ADAPT_EVP(aria_128, 16, "ARIA-128-ECB")
ADAPT_EVP(aria_192, 16, "ARIA-192-ECB")
ADAPT_EVP(aria_256, 16, "ARIA-256-ECB")
ADAPT_EVP(sm4, 16, "SM4-ECB")

const char *assay_version(void)
{
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}
