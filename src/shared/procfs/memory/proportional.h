/* proportional.h - PSS: resident memory with every shared page divided by how many share it. */
#pragma once

#include <stdint.h>

#include "base/slice.h"

/* From the text of /proc/PID/smaps_rollup; -1 when it does not say. */
int64_t proportional_parse(struct slice text);

/* The kernel walks every resident page for it, at 12 to 25 ms for a GiB, and holds the process's
 * mmap and munmap up meanwhile: ask only of small ones.  -1 when it cannot be known. */
int64_t proportional_read(uint32_t pid);
