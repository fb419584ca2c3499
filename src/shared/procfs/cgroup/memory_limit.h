/* memory_limit.h - what the memory of a process must not reach. */
#pragma once

#include <stdint.h>

#include "base/slice.h"

/* The least of its address space and data limits (soft), from the text of /proc/PID/limits; 0:
 * none. */
uint64_t memory_limit_parse(struct slice text);

/* Of its address space alone (soft); 0: none, or not known. */
uint64_t address_limit_read(uint32_t pid);

/* The least of those and of its cgroup; 0: none, so that the machine is the limit. */
uint64_t memory_limit_read(uint32_t pid);
