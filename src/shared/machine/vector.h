/* vector.h - several small numbers at once.
 *
 * Each machine/ARCHITECTURE/vector.h defines
 *   uint32_t vector_equal16(const void *eight, uint16_t value)
 * a bit for each of the eight numbers of 16 bits that is `value`, the first one's the lowest. */
#pragma once

#ifdef __x86_64__
#include "machine/x86_64/vector.h"
#else
#error "memoir knows x86-64 only; HACKING.md says what another architecture needs"
#endif
