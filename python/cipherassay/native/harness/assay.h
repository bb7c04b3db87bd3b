/* What the measuring loop needs to know about one implementation of one cipher.
 *
 * A context is zero-filled memory of context_bytes, aligned to 64 bytes. The key functions return 0 when they accept
 * the key size; they may be called again on the same context. Blocks have block_bytes bytes, ASSAY_BLOCK_LIMIT at most; in
 * and out may be the same memory.
 */
#ifndef ASSAY_H
#define ASSAY_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

enum { ASSAY_BLOCK_LIMIT = 512 };

typedef int (*assay_key_function)(void *ctx, const uint8_t *key, size_t key_bits);
typedef void (*assay_block_function)(const void *ctx, const uint8_t *in, uint8_t *out);

struct assay_cipher {
    size_t context_bytes;
    size_t block_bytes;
    assay_key_function encrypt_key;
    assay_key_function decrypt_key;
    assay_block_function encrypt;
    assay_block_function decrypt;
    void (*release)(void *ctx); /* frees what the context points to; may be null */
};

#ifdef __cplusplus
}
#endif

#endif
