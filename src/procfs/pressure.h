/* pressure.h - how much of the time somebody waited for memory (PSI), by the kernel: of a cgroup, or of the machine. */
#pragma once

#include <stdint.h>

#include "base/slice.h"

/* The share of the last 10 s in which some task waited, from 0 to 1; -1 when the text does not say. */
double pressure_parse(struct slice text);

/* Of the process's cgroup where that has it, else of the machine.  -1 when the kernel keeps none. */
double pressure_read(uint32_t pid);
