/* memory_limit.h - the limits on the memory of a process. */
#pragma once

#include <stdint.h>

#include "base/slice.h"

/* Returns the lower of the soft limits on address space and data, from the text of
 * /proc/PID/limits; 0: no limit. */
uint64_t memory_limit_parse(struct slice text);

/* Returns the soft limit on address space alone; 0: no limit, or unknown. */
uint64_t address_limit_read(uint32_t pid);

/* Returns the lowest of these limits and that of the cgroup; 0: only the machine is the limit. */
uint64_t memory_limit_read(uint32_t pid);
