/* How many cycles the core makes in a nanosecond: a chain of dependent additions against the system's clock. */
#define _POSIX_C_SOURCE 199309L
#include <stdint.h>
#include <time.h>

#include "timer.h"

enum { STEPS = 3000, TRIES = 60 };

/* No cycle counter is opened here: the chain is timed by the system's clock. */
uint32_t assay_cycle_counter;

static double nanoseconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return 1e9 * (double)now.tv_sec + (double)now.tv_nsec;
}

double assay_cycles_per_nanosecond(void)
{
    double best = 1e18;
    for (int i = 0; i < TRIES; i++) {
        double begin = nanoseconds();
        assay_add_chain(STEPS);
        double took = nanoseconds() - begin;
        best = took < best ? took : best;
    }
    return (double)STEPS * ASSAY_ADDS_PER_STEP / best;
}
