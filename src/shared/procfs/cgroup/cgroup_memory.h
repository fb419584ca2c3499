/* cgroup_memory.h - the memory figures of a process's cgroup, version 1 or 2, whichever has the
 * controller. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "model/memory/cgroup_memory.h"

/* Returns 0; or -ENOENT, with `version` 0, if no memory controller can be seen. */
int cgroup_memory_read(uint32_t pid, struct cgroup_memory *memory);

/* Returns the bytes left until a process may be killed at the limit; page cache does not count,
 * because the kernel reclaims it.  Below 0 if the limit was lowered; INT64_MAX without a limit. */
int64_t cgroup_memory_room(const struct cgroup_memory *memory);

/* Like cgroup_memory_read, for the cgroup of the process or the parent cgroup with the least room:
 * a limit also holds for all cgroups below.  Without any limit all figures are -1. */
int cgroup_memory_read_tightest(uint32_t pid, struct cgroup_memory *tightest);

/* Number of OOM kills in the cgroup of a process; can still be read once the process is gone. */
struct oom_count {
    char path[640]; /* Of the file with the number; empty: there is none. */
    uint64_t before;
};
void oom_count_begin(struct oom_count *count, uint32_t pid);
/* Returns whether the number has risen since oom_count_begin. */
bool oom_count_rose(const struct oom_count *count);

/* Finds the path of the memory controller (version 1), or of the unified hierarchy (version 2), in
 * the text of /proc/PID/cgroup.  Returns the version; 0 if the text has neither. */
unsigned cgroup_memory_path(struct slice text, bool has_unified, char *path, size_t size);

/* Adds the figures of a memory.stat text. */
void cgroup_memory_stat(struct cgroup_memory *memory, struct slice text);
