/* cgroup_memory.h - the memory figures of a process's cgroup, version 1 or 2, whichever has the
 * controller. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/slice.h"
#include "model/memory/cgroup_memory.h"

/* 0, or -ENOENT when there is no memory controller to be seen; then `version` is 0. */
int cgroup_memory_read(uint32_t pid, struct cgroup_memory *memory);

/* What is left until the limit, of which a process may be killed: page cache gives way before,
 * the rest does not.  Below 0 when a limit was lowered; INT64_MAX without one. */
int64_t cgroup_memory_room(const struct cgroup_memory *memory);

/* Like cgroup_memory_read, for that cgroup or one that it lies in: the one that has least
 * room: limits hold for all that is below them.  Without any limit there are no figures (all
 * -1). */
int cgroup_memory_read_tightest(uint32_t pid, struct cgroup_memory *tightest);

/* How often the OOM killer struck in the cgroup of a process: to be asked again when the process
 * is gone. */
struct oom_count {
    char path[640]; /* of the file that tells; empty: there is none */
    uint64_t before;
};
void oom_count_begin(struct oom_count *count, uint32_t pid);
bool oom_count_rose(const struct oom_count *count); /* since then */

/* The path in the text of /proc/PID/cgroup of the memory controller (version 1), or of the one
 * hierarchy (2).  The version, 0 when the text has neither. */
unsigned cgroup_memory_path(struct slice text, bool has_unified, char *path, size_t size);

/* Adds what the text of memory.stat says. */
void cgroup_memory_stat(struct cgroup_memory *memory, struct slice text);
