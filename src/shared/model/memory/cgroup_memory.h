/* cgroup_memory.h - what the memory controller counts for the cgroup of a process, which others
 * may be in too. */
#pragma once

#include <stdint.h>

/* Bytes; -1 where the kernel does not say, and for "no limit". */
struct cgroup_memory {
    unsigned version; /* 1 or 2; 0: there is none to be seen */
    char path[256];   /* as the process's own line in /proc/PID/cgroup has it */
    int64_t current, peak, limit, high, swap;
    int64_t anon, file, shmem, file_mapped, inactive_file;
    int64_t kernel, slab, sock, page_tables, kernel_stack;
    int64_t working_set; /* current less inactive_file: what `kubectl top` shows */
};
