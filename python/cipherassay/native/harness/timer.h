/* Time: a tick counter, and a chain of dependent additions that says how many ticks a core cycle takes. */
#ifndef ASSAY_TIMER_H
#define ASSAY_TIMER_H

#include <stdint.h>

enum { ASSAY_ADDS_PER_STEP = 32 };

#if defined(__x86_64__)

#include <x86intrin.h>

/* 1 + the index of the cycle counter, or 0 for the time-stamp counter (counter.c). */
extern uint32_t assay_cycle_counter;

static inline uint64_t assay_cycles(void)
{
    /* 48 bits are counted; between two readings that is years. */
    return (uint64_t)__rdpmc((int)assay_cycle_counter - 1);
}

static inline uint64_t assay_ticks_begin(void)
{
    _mm_lfence();
    uint64_t ticks = assay_cycle_counter ? assay_cycles() : __rdtsc();
    _mm_lfence();
    return ticks;
}

static inline uint64_t assay_ticks_end(void)
{
    unsigned aux;
    if (!assay_cycle_counter) {
        uint64_t ticks = __rdtscp(&aux);
        _mm_lfence();
        return ticks;
    }
    return assay_ticks_begin();
}

/* Register to register: newer cores fold additions of constants away when they rename registers. */
#define ASSAY_ADD "addq %1, %0\n\t"
#define ASSAY_ADD_OPERANDS(x, y) : "+r"(x) : "r"(y) : "cc"

#elif defined(__aarch64__)

static inline uint64_t assay_ticks_begin(void)
{
    uint64_t ticks;
    __asm__ volatile("isb\n\tmrs %0, cntvct_el0\n\tisb" : "=r"(ticks)::"memory");
    return ticks;
}

static inline uint64_t assay_ticks_end(void)
{
    return assay_ticks_begin();
}

#define ASSAY_ADD "add %0, %0, %1\n\t"
#define ASSAY_ADD_OPERANDS(x, y) : "+r"(x) : "r"(y)

#else
#error "no tick counter is known for this processor; add one to timer.h"
#endif

/* Eight chains side by side: as many additions a cycle as the core has units for, fewer if a neighbour uses them too. */
#if defined(__x86_64__)
#define ASSAY_WIDE_1 "addq %8, %0\n\taddq %8, %1\n\taddq %8, %2\n\taddq %8, %3\n\t"
#define ASSAY_WIDE_2 "addq %8, %4\n\taddq %8, %5\n\taddq %8, %6\n\taddq %8, %7\n\t"
#define ASSAY_WIDE_CLOBBER "cc"
#else
#define ASSAY_WIDE_1 "add %0, %0, %8\n\tadd %1, %1, %8\n\tadd %2, %2, %8\n\tadd %3, %3, %8\n\t"
#define ASSAY_WIDE_2 "add %4, %4, %8\n\tadd %5, %5, %8\n\tadd %6, %6, %8\n\tadd %7, %7, %8\n\t"
#define ASSAY_WIDE_CLOBBER "memory"
#endif

static inline uint64_t assay_wide_adds(uint64_t steps)
{
    uint64_t a = steps, b = a, c = a, d = a, e = a, f = a, g = a, h = a;
    for (uint64_t i = 0; i < steps; i++)
        __asm__ volatile(ASSAY_WIDE_1 ASSAY_WIDE_2 ASSAY_WIDE_1 ASSAY_WIDE_2
                         : "+r"(a), "+r"(b), "+r"(c), "+r"(d), "+r"(e), "+r"(f), "+r"(g), "+r"(h)
                         : "r"(steps)
                         : ASSAY_WIDE_CLOBBER);
    return a ^ b ^ c ^ d ^ e ^ f ^ g ^ h;
}

#define ASSAY_ADD_4 ASSAY_ADD ASSAY_ADD ASSAY_ADD ASSAY_ADD
#define ASSAY_ADD_32 ASSAY_ADD_4 ASSAY_ADD_4 ASSAY_ADD_4 ASSAY_ADD_4 ASSAY_ADD_4 ASSAY_ADD_4 ASSAY_ADD_4 ASSAY_ADD_4

/* A chain of 32 * steps additions, each waiting for the one before: as many core cycles. */
static inline uint64_t assay_add_chain(uint64_t steps)
{
    uint64_t x = steps, y = steps | 1;
    for (uint64_t i = 0; i < steps; i++)
        __asm__ volatile(ASSAY_ADD_32 ASSAY_ADD_OPERANDS(x, y));
    return x;
}

#endif
