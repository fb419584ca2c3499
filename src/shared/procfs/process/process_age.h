/* process_age.h - when a process began.  PID and start time together identify a process. */
#pragma once

#include <stdint.h>

/* Parses the start time, in ticks since boot, from the text of /proc/PID/stat.  Returns 0 or
 * -EINVAL. */
int process_age_parse(const char *stat, uint64_t *ticks);

/* Reads the start time of a process, in ticks and as Unix time in ns.  Returns 0 or -errno;
 * -ENOENT: there is no such process. */
int process_age_read(uint32_t pid, uint64_t *ticks, uint64_t *unix_ns);
