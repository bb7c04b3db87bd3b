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
