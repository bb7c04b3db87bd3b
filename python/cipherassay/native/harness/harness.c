/* The measuring loop: the shortest of many runs of one operation on one input, in ticks, with the ticks of a chain of
 * additions timed just before and just after. All implementations are measured through this one loop.
 *
 * A run is `chain` calls in a row. Each waits for the one before:
 *   CHAINED   each block is the output of the last, in place: what a block costs in a chained mode of operation;
 *   REPEATED  the same block every time, its address waiting for every word of the last output: what one input costs.
 * Key setups repeat the same key and wait for nothing but the processor.
 *
 * The call through the pointer and the loop around it are part of every time; reading the counter is not.
 */
#include <string.h>

#include "assay.h"
#include "timer.h"

enum { CALIBRATION_STEPS = 512, CALIBRATION_TRIES = 4, EMPTY_TRIES = 64, WIDE_STEPS = 512, WIDE_TRIES = 3 };

enum operation { KEY_SETUP_ENCRYPT, KEY_SETUP_DECRYPT, ENCRYPT, DECRYPT };
enum dependence { CHAINED, REPEATED };

struct assay_sample {
    uint64_t ticks;              /* the shortest run */
    uint64_t calibration_before; /* ticks of assay_calibration_adds() additions */
    uint64_t calibration_after;
    uint64_t crowding_before; /* ticks of additions side by side: more when a hardware thread beside this one is busy */
    uint64_t crowding_after;
};

struct assay_task {
    const struct assay_cipher *cipher;
    void *ctx;
    uint64_t key_bits;
    uint32_t operation;
    uint32_t dependence;
    uint32_t chain;
    uint32_t repeats;
};

/* Zero, but not to the compiler's knowledge. */
static volatile size_t opaque_zero;

static uint64_t smaller(uint64_t a, uint64_t b)
{
    return a < b ? a : b;
}

static uint64_t without(uint64_t ticks, uint64_t empty)
{
    return ticks > empty ? ticks - empty : 0;
}

static uint64_t empty_ticks(void)
{
    uint64_t best = UINT64_MAX;
    for (int i = 0; i < EMPTY_TRIES; i++) {
        uint64_t begin = assay_ticks_begin();
        best = smaller(best, assay_ticks_end() - begin);
    }
    return best;
}

uint64_t assay_calibration_adds(void)
{
    return (uint64_t)CALIBRATION_STEPS * ASSAY_ADDS_PER_STEP;
}

uint64_t assay_calibrate(void)
{
    uint64_t best = UINT64_MAX, empty = empty_ticks();
    for (int i = 0; i < CALIBRATION_TRIES; i++) {
        uint64_t begin = assay_ticks_begin();
        assay_add_chain(CALIBRATION_STEPS);
        best = smaller(best, assay_ticks_end() - begin);
    }
    return without(best, empty);
}

uint64_t assay_crowding(void)
{
    uint64_t best = UINT64_MAX, empty = empty_ticks();
    for (int i = 0; i < WIDE_TRIES; i++) {
        uint64_t begin = assay_ticks_begin();
        assay_wide_adds(WIDE_STEPS);
        best = smaller(best, assay_ticks_end() - begin);
    }
    return without(best, empty);
}

static uint64_t time_chained(assay_block_function block, const void *ctx, const uint8_t *input, size_t size, uint32_t chain)
{
    uint8_t text[ASSAY_BLOCK_LIMIT];
    memcpy(text, input, size);
    uint64_t begin = assay_ticks_begin();
    for (uint32_t i = 0; i < chain; i++)
        block(ctx, text, text);
    return assay_ticks_end() - begin;
}

static uint64_t time_repeated(assay_block_function block, const void *ctx, const uint8_t *input, size_t size, uint32_t chain)
{
    uint8_t text[ASSAY_BLOCK_LIMIT];
    size_t zero = opaque_zero;
    uint64_t begin = assay_ticks_begin();
    for (uint32_t i = 0; i < chain; i++) {
        block(ctx, input, text);
        size_t written = 0;
        for (size_t n = 0; n < size; n += 4)
            written |= text[n];
        input += written & zero;
    }
    return assay_ticks_end() - begin;
}

static uint64_t time_keys(assay_key_function set_key, void *ctx, const uint8_t *key, size_t key_bits, uint32_t chain)
{
    uint64_t begin = assay_ticks_begin();
    for (uint32_t i = 0; i < chain; i++)
        set_key(ctx, key, key_bits);
    return assay_ticks_end() - begin;
}

static uint64_t time_once(const struct assay_task *task, const uint8_t *input)
{
    const struct assay_cipher *cipher = task->cipher;
    if (task->operation == KEY_SETUP_ENCRYPT || task->operation == KEY_SETUP_DECRYPT) {
        assay_key_function set_key =
            task->operation == KEY_SETUP_ENCRYPT ? cipher->encrypt_key : cipher->decrypt_key;
        return time_keys(set_key, task->ctx, input, (size_t)task->key_bits, task->chain);
    }
    assay_block_function block = task->operation == ENCRYPT ? cipher->encrypt : cipher->decrypt;
    if (task->dependence == REPEATED)
        return time_repeated(block, task->ctx, input, cipher->block_bytes, task->chain);
    return time_chained(block, task->ctx, input, cipher->block_bytes, task->chain);
}

/* Measure count inputs (blocks, or keys), each with one warm-up run and repeats timed runs. */
void assay_measure(const struct assay_task *task, const uint8_t *inputs, size_t count, struct assay_sample *samples)
{
    int of_blocks = task->operation == ENCRYPT || task->operation == DECRYPT;
    size_t stride = of_blocks ? task->cipher->block_bytes : (size_t)task->key_bits / 8;
    uint64_t empty = empty_ticks();
    for (size_t n = 0; n < count; n++) {
        const uint8_t *input = inputs + n * stride;
        uint64_t best = UINT64_MAX;
        samples[n].crowding_before = assay_crowding();
        samples[n].calibration_before = assay_calibrate();
        time_once(task, input);
        for (uint32_t i = 0; i < task->repeats; i++)
            best = smaller(best, time_once(task, input));
        samples[n].calibration_after = assay_calibrate();
        samples[n].crowding_after = assay_crowding();
        samples[n].ticks = without(best, empty);
    }
}
