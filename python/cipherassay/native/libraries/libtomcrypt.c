/* LibTomCrypt: plain C. */
#include <tomcrypt.h>

#include "assay.h"

#define ADAPT(SLUG, BYTES, NAME)                                                              \
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
        sizeof(symmetric_key), BYTES, SLUG##_key, SLUG##_key, SLUG##_encrypt_block, SLUG##_decrypt_block, 0, \
    };

ADAPT(blowfish, 8, blowfish)
ADAPT(camellia, 16, camellia)
ADAPT(cast128, 8, cast5)
ADAPT(des, 8, des)
ADAPT(noekeon, 16, noekeon)
ADAPT(rc6, 16, rc6)
ADAPT(rijndael, 16, aes)
ADAPT(saferplus, 16, saferp)
ADAPT(seed, 16, kseed)
ADAPT(tdes, 8, des3)
ADAPT(twofish, 16, twofish)
ADAPT(xtea, 8, xtea)

const char *assay_version(void)
{
    return SCRYPT;
}
