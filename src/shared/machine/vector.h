/* vector.h - works on several small numbers at once.
 *
 * Each machine/ARCHITECTURE/vector.h defines
 *   uint32_t vector_equal16(const void *eight, uint16_t value)
 * which returns a bit for each of the eight 16-bit numbers: 1 if it is `value`.  The lowest bit is
 * that of the first number. */
#pragma once

#ifdef __x86_64__
#include "machine/x86_64/vector.h"
#else
#error "memoir knows x86-64 only; HACKING.md says what another architecture needs"
#endif
