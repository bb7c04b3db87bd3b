/* libgcrypt: cipher handles in ECB mode, one block a call; hardware features off before the library starts. */
#include <gcrypt.h>

#include "assay.h"

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

static int set_key(struct handle *handle, const uint8_t *key, size_t key_bits, const int algorithms[3])
{
    if (handle->cipher == NULL || handle->key_bits != key_bits) {
        gcry_cipher_close(handle->cipher);
        handle->cipher = NULL;
        handle->key_bits = key_bits;
        if (gcry_cipher_open(&handle->cipher, algorithms[key_bits / 64 - 2], GCRY_CIPHER_MODE_ECB, 0))
            return -1;
    }
    return gcry_cipher_setkey(handle->cipher, key, key_bits / 8) ? -1 : 0;
}

static void encrypt(const void *ctx, const uint8_t *in, uint8_t *out)
{
    gcry_cipher_encrypt(((const struct handle *)ctx)->cipher, out, 16, in, 16);
}

static void decrypt(const void *ctx, const uint8_t *in, uint8_t *out)
{
    gcry_cipher_decrypt(((const struct handle *)ctx)->cipher, out, 16, in, 16);
}

#define ADAPT(SLUG, A128, A192, A256)                                     \
    static int SLUG##_key(void *ctx, const uint8_t *key, size_t key_bits) \
    {                                                                     \
        static const int algorithms[3] = {A128, A192, A256};              \
        return set_key(ctx, key, key_bits, algorithms);                   \
    }                                                                     \
    const struct assay_cipher assay_##SLUG = {                            \
        sizeof(struct handle), 16, SLUG##_key, SLUG##_key, encrypt, decrypt, release, \
    };

ADAPT(rijndael, GCRY_CIPHER_AES128, GCRY_CIPHER_AES192, GCRY_CIPHER_AES256)
ADAPT(serpent, GCRY_CIPHER_SERPENT128, GCRY_CIPHER_SERPENT192, GCRY_CIPHER_SERPENT256)
/* libgcrypt has Twofish for 128- and 256-bit keys only; 0 is no algorithm. */
ADAPT(twofish, GCRY_CIPHER_TWOFISH128, 0, GCRY_CIPHER_TWOFISH)

const char *assay_version(void)
{
    return gcry_check_version(NULL);
}
