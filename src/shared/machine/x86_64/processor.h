/* processor.h - x86-64. */
#pragma once

#include <stdint.h>

static inline uint64_t processor_ticks(void)
{
    return __builtin_ia32_rdtsc();
}

static inline uint64_t processor_ticks_in_order(void)
{
    __builtin_ia32_lfence();
    return __builtin_ia32_rdtsc();
}

static inline void processor_rest(void)
{
    __builtin_ia32_pause();
}

static inline void processor_fetch(const uint64_t *word)
{
    /* Every x86-64 since 2014 has it, and the older ones take it for a no-op. */
    __asm__ volatile("prefetchw %0" : : "m"(*word));
}

/* The compiler's own product of 128 bits keeps one half in memory when registers are few. */
static inline uint64_t processor_multiply(uint64_t a, uint64_t b, uint64_t *high)
{
    uint64_t low;
    __asm__("mulq %3" : "=a"(low), "=d"(*high) : "%0"(a), "r"(b) : "cc");
    return low;
}
