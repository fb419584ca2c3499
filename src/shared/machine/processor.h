/* processor.h - what the processor does in one instruction.
 *
 * Each machine/ARCHITECTURE/processor.h defines
 *   uint64_t processor_ticks(void)             a clock that all processors share and that never
 *                                              stops; tick_clock.h converts it to nanoseconds
 *   uint64_t processor_ticks_in_order(void)    the same clock, read only when all instructions
 *                                              before it are done: if threads take turns, the next
 *                                              thread's ticks are later (processor_ticks may be
 *                                              read before a lock in front of it is taken)
 *   void processor_rest(void)                  a short rest in a loop that waits
 *   void processor_fetch(const uint64_t *word) prefetches the cache line of a word, for writing
 *   uint64_t processor_multiply(uint64_t a, uint64_t b, uint64_t *high)
 *                                              the product of 128 bits: returns the low half */
#pragma once

#ifdef __x86_64__
#include "machine/x86_64/processor.h"
#else
#error "memoir knows x86-64 only; HACKING.md says what another architecture needs"
#endif
