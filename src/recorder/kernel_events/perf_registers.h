/* perf_registers.h - the registers with which a walk begins, as perf events deliver them.  (In
 * ARCHITECTURE/perf_registers.c.) */
#pragma once

#include <stdint.h>

#include "machine/registers.h"

/* The registers that a sample is to contain: a bit for each, by perf's numbers. */
extern const uint64_t perf_registers_mask;

/* The order in which they are delivered: their numbers in unwind tables. */
extern const uint8_t perf_registers_order[REG_COUNT];
