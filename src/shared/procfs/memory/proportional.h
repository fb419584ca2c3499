/* proportional.h - PSS: resident memory, each shared page divided by the number of its users. */
#pragma once

#include <stdint.h>

#include "base/slice.h"

/* Parses the text of /proc/PID/smaps_rollup; returns -1 if it has no PSS. */
int64_t proportional_parse(struct slice text);

/* Returns the PSS of a process; -1 if it cannot be read.  The kernel walks all resident pages, 12
 * to 25 ms per GiB, and mmap and munmap of the process wait meanwhile: call it for small processes
 * only. */
int64_t proportional_read(uint32_t pid);
