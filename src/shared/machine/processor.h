/* processor.h - what the processor does in one instruction.
 *
 * Each machine/ARCHITECTURE/processor.h defines
 *   uint64_t processor_ticks(void)             a clock that all processors share and that never
 *                                              stops; tick_clock.h makes nanoseconds of it
 *   uint64_t processor_ticks_in_order(void)    the same, read when all before it has happened:
 *                                              of threads that take turns, the next one's are
 *                                              later (the plain one may be read before a lock
 *                                              that stands before it is taken)
 *   void processor_rest(void)                  a moment's rest in a loop that waits
 *   void processor_fetch(const uint64_t *word) brings the line of a word here, to be written */
#pragma once

#ifdef __x86_64__
#include "machine/x86_64/processor.h"
#else
#error "memoir knows x86-64 only; HACKING.md says what another architecture needs"
#endif
