/* OpenSSL: the AES_ functions are its table code for processors without AES instructions; EVP would choose those. */
#define OPENSSL_SUPPRESS_DEPRECATED
#include <openssl/aes.h>
#include <openssl/crypto.h>

#include "assay.h"

static int encrypt_key(void *ctx, const uint8_t *key, size_t key_bits)
{
    return AES_set_encrypt_key(key, (int)key_bits, ctx);
}

static int decrypt_key(void *ctx, const uint8_t *key, size_t key_bits)
{
    return AES_set_decrypt_key(key, (int)key_bits, ctx);
}

static void encrypt(const void *ctx, const uint8_t *in, uint8_t *out)
{
    AES_encrypt(in, out, ctx);
}

static void decrypt(const void *ctx, const uint8_t *in, uint8_t *out)
{
    AES_decrypt(in, out, ctx);
}

const struct assay_cipher assay_rijndael = {sizeof(AES_KEY), 16, encrypt_key, decrypt_key, encrypt, decrypt, 0};

const char *assay_version(void)
{
    return OpenSSL_version(OPENSSL_VERSION_STRING);
}
