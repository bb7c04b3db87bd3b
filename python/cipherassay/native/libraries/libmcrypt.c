/* libmcrypt: one handle per key in ECB mode, one block a call. */
#include <mcrypt.h>
#include <string.h>

#include "assay.h"
#include "orders.h"

struct handle {
    MCRYPT module;
    int ready;
};

static void release(void *ctx)
{
    struct handle *handle = ctx;
    if (handle->ready)
        mcrypt_generic_deinit(handle->module);
    if (handle->module)
        mcrypt_module_close(handle->module);
    handle->module = 0;
    handle->ready = 0;
}

/* Tells whether a module has a key size; of others the library makes the next larger one, with zeros. */
static int takes(MCRYPT module, int bytes)
{
    int count = 0, found = 0, *sizes = mcrypt_enc_get_supported_key_sizes(module, &count);
    if (count == 0)
        return bytes <= mcrypt_enc_get_key_size(module);
    for (int i = 0; i < count; i++)
        found |= sizes[i] == bytes;
    mcrypt_free(sizes);
    return found;
}

static int set_key(void *ctx, const uint8_t *key, size_t key_bits, const char *name)
{
    struct handle *handle = ctx;
    if (!handle->module) {
        handle->module = mcrypt_module_open((char *)name, NULL, (char *)"ecb", NULL);
        if (handle->module == MCRYPT_FAILED) {
            handle->module = 0;
            return -1;
        }
    }
    if (!takes(handle->module, (int)(key_bits / 8)))
        return -1;
    if (handle->ready)
        mcrypt_generic_deinit(handle->module);
    handle->ready = mcrypt_generic_init(handle->module, (void *)key, (int)(key_bits / 8), NULL) >= 0;
    return handle->ready ? 0 : -1;
}

#define ADAPT(SLUG, BYTES, NAME)                                                  \
    static int SLUG##_key(void *ctx, const uint8_t *key, size_t key_bits)         \
    {                                                                             \
        return set_key(ctx, key, key_bits, NAME);                                 \
    }                                                                             \
    static void SLUG##_encrypt(const void *ctx, const uint8_t *in, uint8_t *out)  \
    {                                                                             \
        if (in != out)                                                            \
            memcpy(out, in, BYTES);                                               \
        mcrypt_generic(((const struct handle *)ctx)->module, out, BYTES);         \
    }                                                                             \
    static void SLUG##_decrypt(const void *ctx, const uint8_t *in, uint8_t *out)  \
    {                                                                             \
        if (in != out)                                                            \
            memcpy(out, in, BYTES);                                               \
        mdecrypt_generic(((const struct handle *)ctx)->module, out, BYTES);       \
    }                                                                             \
    const struct assay_cipher assay_##SLUG = {                                    \
        sizeof(struct handle), BYTES, SLUG##_key, SLUG##_key, SLUG##_encrypt, SLUG##_decrypt, release, \
    };

ADAPT(blowfish, 8, "blowfish")
ADAPT(cast128, 8, "cast-128")
ADAPT(des, 8, "des")
ADAPT(rijndael, 16, "rijndael-128")
ADAPT(rijndael192, 24, "rijndael-192")
ADAPT(rijndael256, 32, "rijndael-256")
ADAPT(serpent, 16, "serpent")
ADAPT(tdes, 8, "tripledes")
ADAPT(twofish, 16, "twofish")
ADAPT(xtea, 8, "xtea")

/* Its LOKI97 is for keys of 256 bits only, and reads words from the other end than the submission does. */
static int loki97_key(void *ctx, const uint8_t *key, size_t key_bits)
{
    uint8_t turned[32];
    if (key_bits != 8 * sizeof turned)
        return -1;
    assay_reverse(key, turned, sizeof turned, 4);
    return set_key(ctx, turned, key_bits, "loki97");
}

static void loki97_encrypt(const void *ctx, const uint8_t *in, uint8_t *out)
{
    uint8_t block[16];
    assay_reverse(in, block, 16, 4);
    mcrypt_generic(((const struct handle *)ctx)->module, block, 16);
    assay_reverse(block, out, 16, 4);
}

static void loki97_decrypt(const void *ctx, const uint8_t *in, uint8_t *out)
{
    uint8_t block[16];
    assay_reverse(in, block, 16, 4);
    mdecrypt_generic(((const struct handle *)ctx)->module, block, 16);
    assay_reverse(block, out, 16, 4);
}

const struct assay_cipher assay_loki97 = {
    sizeof(struct handle), 16, loki97_key, loki97_key, loki97_encrypt, loki97_decrypt, release,
};

const char *assay_version(void)
{
    return mcrypt_check_version(NULL);
}
