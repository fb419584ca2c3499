/* cgroup_memory.h - what the memory controller counts for the cgroup of a process.  Other processes
 * may be in the cgroup, too. */
#pragma once

#include <stdint.h>

/* In bytes; -1 if the kernel does not say, and for "no limit". */
struct cgroup_memory {
    unsigned version; /* 1 or 2; 0: none can be seen. */
    char path[256];   /* As in /proc/PID/cgroup. */
    int64_t current, peak, limit, high, swap;
    int64_t anon, file, shmem, file_mapped, inactive_file;
    int64_t kernel, slab, sock, page_tables, kernel_stack;
    int64_t working_set; /* `current` minus `inactive_file`, as `kubectl top` shows it. */
};
