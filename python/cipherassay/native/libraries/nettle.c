/* nettle: the key functions of each key size are called directly, as its manual asks. */
#include <nettle/aes.h>
#include <nettle/blowfish.h>
#include <nettle/camellia.h>
#include <nettle/cast128.h>
#include <nettle/des.h>
#include <nettle/serpent.h>
#include <nettle/twofish.h>
#include <nettle/version.h>

#include "assay.h"

/* A cipher whose context, key functions and directions have one name each; SET answers a key. */
#define ADAPT(SYMBOL, BYTES, CONTEXT, SET_FORWARD, SET_BACKWARD, FORWARD, BACKWARD)        \
    static int SYMBOL##_forward_key(void *ctx, const uint8_t *key, size_t key_bits)        \
    {                                                                                      \
        return SET_FORWARD(ctx, key, key_bits);                                            \
    }                                                                                      \
    static int SYMBOL##_backward_key(void *ctx, const uint8_t *key, size_t key_bits)       \
    {                                                                                      \
        return SET_BACKWARD(ctx, key, key_bits);                                           \
    }                                                                                      \
    static void SYMBOL##_forward(const void *ctx, const uint8_t *in, uint8_t *out)         \
    {                                                                                      \
        FORWARD(ctx, BYTES, out, in);                                                      \
    }                                                                                      \
    static void SYMBOL##_backward(const void *ctx, const uint8_t *in, uint8_t *out)        \
    {                                                                                      \
        BACKWARD(ctx, BYTES, out, in);                                                     \
    }                                                                                      \
    const struct assay_cipher assay_##SYMBOL = {                                           \
        sizeof(struct CONTEXT), BYTES, SYMBOL##_forward_key, SYMBOL##_backward_key,        \
        SYMBOL##_forward, SYMBOL##_backward, 0,                                            \
    };

/* Key functions that take no length are for one size; weak keys are set up all the same. */
#define ONE_SIZE(BITS, CALL) key_bits == BITS ? ((void)(CALL), 0) : -1
#define BETWEEN(LEAST, MOST, CALL) key_bits >= LEAST && key_bits <= MOST ? ((void)(CALL), 0) : -1

#define AES(BITS)                                                                          \
    static int set_aes##BITS##_forward(void *ctx, const uint8_t *key, size_t key_bits)     \
    {                                                                                      \
        return ONE_SIZE(BITS, aes##BITS##_set_encrypt_key(ctx, key));                      \
    }                                                                                      \
    static int set_aes##BITS##_backward(void *ctx, const uint8_t *key, size_t key_bits)    \
    {                                                                                      \
        return ONE_SIZE(BITS, aes##BITS##_set_decrypt_key(ctx, key));                      \
    }                                                                                      \
    ADAPT(rijndael_##BITS, 16, aes##BITS##_ctx, set_aes##BITS##_forward, set_aes##BITS##_backward, \
          aes##BITS##_encrypt, aes##BITS##_decrypt)

#define CAMELLIA(BITS, OF)                                                                 \
    static int set_camellia##BITS##_forward(void *ctx, const uint8_t *key, size_t key_bits) \
    {                                                                                      \
        return ONE_SIZE(BITS, camellia##BITS##_set_encrypt_key(ctx, key));                 \
    }                                                                                      \
    static int set_camellia##BITS##_backward(void *ctx, const uint8_t *key, size_t key_bits) \
    {                                                                                      \
        return ONE_SIZE(BITS, camellia##BITS##_set_decrypt_key(ctx, key));                 \
    }                                                                                      \
    ADAPT(camellia_##BITS, 16, camellia##OF##_ctx, set_camellia##BITS##_forward,           \
          set_camellia##BITS##_backward, camellia##OF##_crypt, camellia##OF##_crypt)

AES(128)
AES(192)
AES(256)
CAMELLIA(128, 128)
CAMELLIA(192, 256)
CAMELLIA(256, 256)

static int set_blowfish(void *ctx, const uint8_t *key, size_t key_bits)
{
    return BETWEEN(8 * BLOWFISH_MIN_KEY_SIZE, 8 * BLOWFISH_MAX_KEY_SIZE, blowfish_set_key(ctx, key_bits / 8, key));
}

static int set_cast128(void *ctx, const uint8_t *key, size_t key_bits)
{
    return BETWEEN(8 * CAST5_MIN_KEY_SIZE, 8 * CAST5_MAX_KEY_SIZE, (cast5_set_key(ctx, key_bits / 8, key), 0));
}

static int set_des(void *ctx, const uint8_t *key, size_t key_bits)
{
    return ONE_SIZE(64, des_set_key(ctx, key));
}

static int set_des3(void *ctx, const uint8_t *key, size_t key_bits)
{
    return ONE_SIZE(192, des3_set_key(ctx, key));
}

static int set_serpent(void *ctx, const uint8_t *key, size_t key_bits)
{
    return BETWEEN(128, 256, (serpent_set_key(ctx, key_bits / 8, key), 0));
}

static int set_twofish(void *ctx, const uint8_t *key, size_t key_bits)
{
    return BETWEEN(128, 256, (twofish_set_key(ctx, key_bits / 8, key), 0));
}

ADAPT(blowfish, 8, blowfish_ctx, set_blowfish, set_blowfish, blowfish_encrypt, blowfish_decrypt)
ADAPT(cast128, 8, cast128_ctx, set_cast128, set_cast128, cast128_encrypt, cast128_decrypt)
ADAPT(des, 8, des_ctx, set_des, set_des, des_encrypt, des_decrypt)
ADAPT(serpent, 16, serpent_ctx, set_serpent, set_serpent, serpent_encrypt, serpent_decrypt)
ADAPT(tdes, 8, des3_ctx, set_des3, set_des3, des3_encrypt, des3_decrypt)
ADAPT(twofish, 16, twofish_ctx, set_twofish, set_twofish, twofish_encrypt, twofish_decrypt)

const char *assay_version(void)
{
#define TEXT(x) #x
#define NUMBERS(x, y) TEXT(x) "." TEXT(y)
    return NUMBERS(NETTLE_VERSION_MAJOR, NETTLE_VERSION_MINOR);
}
