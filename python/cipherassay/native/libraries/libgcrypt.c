/* libgcrypt: cipher handles in ECB mode, one block a call; hardware features off before the library starts. */
#include <gcrypt.h>

#include "assay.h"
#include "orders.h"

/* The algorithm for a key size; a list of them ends with zeros. */
struct algorithm {
    size_t key_bits;
    int number;
};

struct handle {
    gcry_cipher_hd_t cipher;
    size_t key_bits;
};

__attribute__((constructor)) static void start_library(void)
{
    gcry_control(GCRYCTL_DISABLE_HWF, "all", NULL);
    gcry_check_version(NULL);
    gcry_control(GCRYCTL_DISABLE_SECMEM, 0);
    gcry_control(GCRYCTL_INITIALIZATION_FINISHED, 0);
}

static void release(void *ctx)
{
    struct handle *handle = ctx;
    gcry_cipher_close(handle->cipher);
    handle->cipher = NULL;
}

static int set_key(struct handle *handle, const uint8_t *key, size_t key_bits, const struct algorithm *known)
{
    gcry_error_t error;
    if (handle->cipher == NULL || handle->key_bits != key_bits) {
        while (known->key_bits != 0 && known->key_bits != key_bits)
            known++;
        gcry_cipher_close(handle->cipher);
        handle->cipher = NULL;
        handle->key_bits = key_bits;
        if (known->key_bits == 0 || gcry_cipher_open(&handle->cipher, known->number, GCRY_CIPHER_MODE_ECB, 0))
            return -1;
        gcry_cipher_ctl(handle->cipher, GCRYCTL_SET_ALLOW_WEAK_KEY, NULL, 1);
    }
    error = gcry_cipher_setkey(handle->cipher, key, key_bits / 8);
    return error && gcry_err_code(error) != GPG_ERR_WEAK_KEY ? -1 : 0;
}

#define ADAPT(SLUG, BYTES, ...)                                                            \
    static int SLUG##_key(void *ctx, const uint8_t *key, size_t key_bits)                  \
    {                                                                                      \
        static const struct algorithm known[] = {__VA_ARGS__, {0, 0}};                     \
        return set_key(ctx, key, key_bits, known);                                         \
    }                                                                                      \
    static void SLUG##_encrypt(const void *ctx, const uint8_t *in, uint8_t *out)           \
    {                                                                                      \
        gcry_cipher_encrypt(((const struct handle *)ctx)->cipher, out, BYTES, in, BYTES);  \
    }                                                                                      \
    static void SLUG##_decrypt(const void *ctx, const uint8_t *in, uint8_t *out)           \
    {                                                                                      \
        gcry_cipher_decrypt(((const struct handle *)ctx)->cipher, out, BYTES, in, BYTES);  \
    }                                                                                      \
    const struct assay_cipher assay_##SLUG = {                                             \
        sizeof(struct handle), BYTES, SLUG##_key, SLUG##_key, SLUG##_encrypt, SLUG##_decrypt, release, \
    };

ADAPT(blowfish, 8, {128, GCRY_CIPHER_BLOWFISH}, {256, GCRY_CIPHER_BLOWFISH}, {448, GCRY_CIPHER_BLOWFISH})
ADAPT(camellia, 16, {128, GCRY_CIPHER_CAMELLIA128}, {192, GCRY_CIPHER_CAMELLIA192}, {256, GCRY_CIPHER_CAMELLIA256})
ADAPT(cast128, 8, {128, GCRY_CIPHER_CAST5})
ADAPT(des, 8, {64, GCRY_CIPHER_DES})
ADAPT(idea, 8, {128, GCRY_CIPHER_IDEA})
ADAPT(rijndael, 16, {128, GCRY_CIPHER_AES128}, {192, GCRY_CIPHER_AES192}, {256, GCRY_CIPHER_AES256})
ADAPT(seed, 16, {128, GCRY_CIPHER_SEED})
ADAPT(serpent, 16, {128, GCRY_CIPHER_SERPENT128}, {192, GCRY_CIPHER_SERPENT192}, {256, GCRY_CIPHER_SERPENT256})
ADAPT(sm4, 16, {128, GCRY_CIPHER_SM4})
ADAPT(tdes, 8, {192, GCRY_CIPHER_3DES})
/* libgcrypt has Twofish for 128- and 256-bit keys only. */
ADAPT(twofish, 16, {128, GCRY_CIPHER_TWOFISH128}, {256, GCRY_CIPHER_TWOFISH})

/* Magma is GOST 28147-89 with the S-boxes of RFC 7836; words, and the two of a block, are read from the other end. */
static int magma_key(void *ctx, const uint8_t *key, size_t key_bits)
{
    struct handle *handle = ctx;
    uint8_t turned[32];
    if (key_bits != 256)
        return -1;
    assay_reverse(key, turned, sizeof turned, 4);
    if (handle->cipher == NULL) {
        if (gcry_cipher_open(&handle->cipher, GCRY_CIPHER_GOST28147, GCRY_CIPHER_MODE_ECB, 0))
            return -1;
        if (gcry_cipher_ctl(handle->cipher, GCRYCTL_SET_SBOX, (void *)"1.2.643.7.1.2.5.1.1", 0))
            return -1;
    }
    return gcry_cipher_setkey(handle->cipher, turned, 32) ? -1 : 0;
}

static void magma_encrypt(const void *ctx, const uint8_t *in, uint8_t *out)
{
    uint8_t block[8];
    assay_reverse(in, block, 8, 8);
    gcry_cipher_encrypt(((const struct handle *)ctx)->cipher, block, 8, NULL, 0);
    assay_reverse(block, out, 8, 8);
}

static void magma_decrypt(const void *ctx, const uint8_t *in, uint8_t *out)
{
    uint8_t block[8];
    assay_reverse(in, block, 8, 8);
    gcry_cipher_decrypt(((const struct handle *)ctx)->cipher, block, 8, NULL, 0);
    assay_reverse(block, out, 8, 8);
}

const struct assay_cipher assay_magma = {
    sizeof(struct handle), 8, magma_key, magma_key, magma_encrypt, magma_decrypt, release,
};

const char *assay_version(void)
{
    return gcry_check_version(NULL);
}
