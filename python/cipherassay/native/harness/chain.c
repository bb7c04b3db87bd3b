/* Many blocks in one call: each by itself, or the inner loops of NIST's Monte Carlo tests (1998). */
#include <string.h>

#include "assay.h"

enum { BLOCK = 16 };
enum mode { ECB, CBC_ENCRYPT, CBC_DECRYPT };

static void exclusive_or(uint8_t *to, const uint8_t *from)
{
    for (int i = 0; i < BLOCK; i++)
        to[i] ^= from[i];
}

void assay_blocks(assay_block_function block, const void *ctx, const uint8_t *in, uint8_t *out, size_t count)
{
    for (size_t n = 0; n < count; n++)
        block(ctx, in + n * BLOCK, out + n * BLOCK);
}

/* Run count steps from text and vector; last and before_last receive the last two outputs. */
void assay_chain(assay_block_function block, const void *ctx, int mode, const uint8_t *vector, const uint8_t *text,
                 size_t count, uint8_t *last, uint8_t *before_last)
{
    uint8_t input[BLOCK], output[BLOCK], feedback[BLOCK] = {0};
    memcpy(input, text, BLOCK);
    memcpy(output, text, BLOCK);
    if (mode != ECB)
        memcpy(feedback, vector, BLOCK);
    for (size_t n = 0; n < count; n++) {
        if (n > 0)
            memcpy(before_last, output, BLOCK);
        if (mode == ECB) {
            block(ctx, output, output);
        } else if (mode == CBC_ENCRYPT) {
            exclusive_or(input, feedback);
            block(ctx, input, output);
            memcpy(input, feedback, BLOCK);
            memcpy(feedback, output, BLOCK);
        } else {
            block(ctx, input, output);
            exclusive_or(output, feedback);
            memcpy(feedback, input, BLOCK);
            memcpy(input, output, BLOCK);
        }
    }
    memcpy(last, output, BLOCK);
}
