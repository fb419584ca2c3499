/* process_age.h - when a process began, which with its number makes a name that is never used
 * again. */
#pragma once

#include <stdint.h>

/* The ticks since boot at which it began, from the text of /proc/PID/stat.  0 or -EINVAL. */
int process_age_parse(const char *stat, uint64_t *ticks);

/* The start of a process, and its unix time in ns.  0 or -errno: -ENOENT when there is none. */
int process_age_read(uint32_t pid, uint64_t *ticks, uint64_t *unix_ns);
