/* LibTomCrypt: its AES, Twofish and RC6 are plain C. */
#include <tomcrypt.h>

#include "assay.h"

#define ADAPT(SLUG, NAME)                                                              \
    static int SLUG##_key(void *ctx, const uint8_t *key, size_t key_bits)              \
    {                                                                                  \
        return NAME##_setup(key, (int)(key_bits / 8), 0, ctx) == CRYPT_OK ? 0 : -1;    \
    }                                                                                  \
    static void SLUG##_encrypt_block(const void *ctx, const uint8_t *in, uint8_t *out) \
    {                                                                                  \
        NAME##_ecb_encrypt(in, out, (symmetric_key *)ctx);                             \
    }                                                                                  \
    static void SLUG##_decrypt_block(const void *ctx, const uint8_t *in, uint8_t *out) \
    {                                                                                  \
        NAME##_ecb_decrypt(in, out, (symmetric_key *)ctx);                             \
    }                                                                                  \
    const struct assay_cipher assay_##SLUG = {                                         \
        sizeof(symmetric_key), 16, SLUG##_key, SLUG##_key, SLUG##_encrypt_block, SLUG##_decrypt_block, 0, \
    };

ADAPT(rijndael, aes)
ADAPT(twofish, twofish)
ADAPT(rc6, rc6)

const char *assay_version(void)
{
    return SCRYPT;
}
