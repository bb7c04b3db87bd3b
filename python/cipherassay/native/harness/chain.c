/* Many blocks in one call: each by itself, or the inner loops of NIST's Monte Carlo tests (1998). */
#include <string.h>

#include "assay.h"

enum mode { ECB, CBC_ENCRYPT, CBC_DECRYPT };

static void exclusive_or(uint8_t *to, const uint8_t *from, size_t size)
{
    for (size_t i = 0; i < size; i++)
        to[i] ^= from[i];
}

void assay_blocks(assay_block_function block, const void *ctx, size_t size, const uint8_t *in, uint8_t *out, size_t count)
{
    for (size_t n = 0; n < count; n++)
        block(ctx, in + n * size, out + n * size);
}

/* Run count steps from text and vector; last and before_last receive the last two outputs. */
void assay_chain(assay_block_function block, const void *ctx, size_t size, int mode, const uint8_t *vector,
                 const uint8_t *text, size_t count, uint8_t *last, uint8_t *before_last)
{
    uint8_t input[ASSAY_BLOCK_LIMIT], output[ASSAY_BLOCK_LIMIT], feedback[ASSAY_BLOCK_LIMIT] = {0};
    memcpy(input, text, size);
    memcpy(output, text, size);
    if (mode != ECB)
        memcpy(feedback, vector, size);
    for (size_t n = 0; n < count; n++) {
        if (n > 0)
            memcpy(before_last, output, size);
        if (mode == ECB) {
            block(ctx, output, output);
        } else if (mode == CBC_ENCRYPT) {
            exclusive_or(input, feedback, size);
            block(ctx, input, output);
            memcpy(input, feedback, size);
            memcpy(feedback, output, size);
        } else {
            block(ctx, input, output);
            exclusive_or(output, feedback, size);
            memcpy(feedback, input, size);
            memcpy(input, output, size);
        }
    }
    memcpy(last, output, size);
}
