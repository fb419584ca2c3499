/* perf_registers.h - the registers that a walk begins with, as perf events tell them.
 * (ARCHITECTURE/perf_registers.c) */
#pragma once

#include <stdint.h>

#include "machine/registers.h"

/* Which of them a sample is asked for: a bit for each, by perf's numbers. */
extern const uint64_t perf_registers_mask;

/* The order in which they come: their numbers in unwind tables. */
extern const uint8_t perf_registers_order[REG_COUNT];
