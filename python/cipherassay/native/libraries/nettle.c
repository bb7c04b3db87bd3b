/* nettle: the key functions of each key size are called directly, as its manual asks. */
#include <nettle/aes.h>
#include <nettle/version.h>
#include <nettle/serpent.h>
#include <nettle/twofish.h>

#include "assay.h"

struct aes_keys {
    size_t key_bits;
    union {
        struct aes128_ctx k128;
        struct aes192_ctx k192;
        struct aes256_ctx k256;
    } schedule;
};

static int aes_encrypt_key(void *ctx, const uint8_t *key, size_t key_bits)
{
    struct aes_keys *keys = ctx;
    keys->key_bits = key_bits;
    switch (key_bits) {
    case 128:
        aes128_set_encrypt_key(&keys->schedule.k128, key);
        return 0;
    case 192:
        aes192_set_encrypt_key(&keys->schedule.k192, key);
        return 0;
    case 256:
        aes256_set_encrypt_key(&keys->schedule.k256, key);
        return 0;
    default:
        return -1;
    }
}

static int aes_decrypt_key(void *ctx, const uint8_t *key, size_t key_bits)
{
    struct aes_keys *keys = ctx;
    keys->key_bits = key_bits;
    switch (key_bits) {
    case 128:
        aes128_set_decrypt_key(&keys->schedule.k128, key);
        return 0;
    case 192:
        aes192_set_decrypt_key(&keys->schedule.k192, key);
        return 0;
    case 256:
        aes256_set_decrypt_key(&keys->schedule.k256, key);
        return 0;
    default:
        return -1;
    }
}

static void aes_encrypt_block(const void *ctx, const uint8_t *in, uint8_t *out)
{
    const struct aes_keys *keys = ctx;
    if (keys->key_bits == 128)
        aes128_encrypt(&keys->schedule.k128, 16, out, in);
    else if (keys->key_bits == 192)
        aes192_encrypt(&keys->schedule.k192, 16, out, in);
    else
        aes256_encrypt(&keys->schedule.k256, 16, out, in);
}

static void aes_decrypt_block(const void *ctx, const uint8_t *in, uint8_t *out)
{
    const struct aes_keys *keys = ctx;
    if (keys->key_bits == 128)
        aes128_decrypt(&keys->schedule.k128, 16, out, in);
    else if (keys->key_bits == 192)
        aes192_decrypt(&keys->schedule.k192, 16, out, in);
    else
        aes256_decrypt(&keys->schedule.k256, 16, out, in);
}

static int serpent_key(void *ctx, const uint8_t *key, size_t key_bits)
{
    serpent_set_key(ctx, key_bits / 8, key);
    return 0;
}

static void serpent_encrypt_block(const void *ctx, const uint8_t *in, uint8_t *out)
{
    serpent_encrypt(ctx, 16, out, in);
}

static void serpent_decrypt_block(const void *ctx, const uint8_t *in, uint8_t *out)
{
    serpent_decrypt(ctx, 16, out, in);
}

static int twofish_key(void *ctx, const uint8_t *key, size_t key_bits)
{
    twofish_set_key(ctx, key_bits / 8, key);
    return 0;
}

static void twofish_encrypt_block(const void *ctx, const uint8_t *in, uint8_t *out)
{
    twofish_encrypt(ctx, 16, out, in);
}

static void twofish_decrypt_block(const void *ctx, const uint8_t *in, uint8_t *out)
{
    twofish_decrypt(ctx, 16, out, in);
}

const struct assay_cipher assay_rijndael = {
    sizeof(struct aes_keys), 16, aes_encrypt_key, aes_decrypt_key, aes_encrypt_block, aes_decrypt_block, 0,
};
const struct assay_cipher assay_serpent = {
    sizeof(struct serpent_ctx), 16, serpent_key, serpent_key, serpent_encrypt_block, serpent_decrypt_block, 0,
};
const struct assay_cipher assay_twofish = {
    sizeof(struct twofish_ctx), 16, twofish_key, twofish_key, twofish_encrypt_block, twofish_decrypt_block, 0,
};

const char *assay_version(void)
{
#define TEXT(x) #x
#define NUMBERS(x, y) TEXT(x) "." TEXT(y)
    return NUMBERS(NETTLE_VERSION_MAJOR, NETTLE_VERSION_MINOR);
}
