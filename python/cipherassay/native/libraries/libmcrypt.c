/* libmcrypt: one handle per key in ECB mode, one block a call. */
#include <mcrypt.h>
#include <string.h>

#include "assay.h"

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
    if (handle->ready)
        mcrypt_generic_deinit(handle->module);
    handle->ready = mcrypt_generic_init(handle->module, (void *)key, (int)(key_bits / 8), NULL) >= 0;
    return handle->ready ? 0 : -1;
}

static void encrypt(const void *ctx, const uint8_t *in, uint8_t *out)
{
    if (in != out)
        memcpy(out, in, 16);
    mcrypt_generic(((const struct handle *)ctx)->module, out, 16);
}

static void decrypt(const void *ctx, const uint8_t *in, uint8_t *out)
{
    if (in != out)
        memcpy(out, in, 16);
    mdecrypt_generic(((const struct handle *)ctx)->module, out, 16);
}

#define ADAPT(SLUG, NAME)                                                          \
    static int SLUG##_key(void *ctx, const uint8_t *key, size_t key_bits)          \
    {                                                                              \
        return set_key(ctx, key, key_bits, NAME);                                  \
    }                                                                              \
    const struct assay_cipher assay_##SLUG = {                                     \
        sizeof(struct handle), 16, SLUG##_key, SLUG##_key, encrypt, decrypt, release, \
    };

ADAPT(rijndael, "rijndael-128")
ADAPT(serpent, "serpent")
ADAPT(twofish, "twofish")

const char *assay_version(void)
{
    return mcrypt_check_version(NULL);
}
