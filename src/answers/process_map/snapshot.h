/* snapshot.h - everything about the memory of one process, now: what the kernel says, what its
 * runtimes say, sorted.
 *
 * The process is not stopped, and nothing is written to it.  Reading smaps makes its mmap and
 * munmap wait, 20 ms per resident GiB in small pages at worst; where that is long, the pages are
 * walked gently instead (procfs/memory/pagemap.h), which gives RSS and swap but neither PSS nor
 * private and shared. */
#pragma once

#include "analyze/memory/sort_regions.h"
#include "base/fault.h"
#include "model/memory/breakdown.h"
#include "procfs/memory/smaps.h"

enum snapshot_way {
    SNAPSHOT_AUTO,  /* smaps, unless that would take longer than the budget */
    SNAPSHOT_SMAPS, /* at any price */
    SNAPSHOT_GENTLE
};
#define SNAPSHOT_NS_PER_GIB UINT64_C(20000000)         /* of reading smaps, in small pages */
#define SNAPSHOT_BUDGET_NS  (12 * SNAPSHOT_NS_PER_GIB) /* unless told otherwise */

struct process_snapshot_options {
    enum snapshot_way way;
    struct sort_rules rules;
    /* only so many mappings will be listed, by RSS, so many small ones may be kept as sums; 0:
     * all */
    size_t top;
    uint64_t budget_ns; /* 0: SNAPSHOT_BUDGET_NS, and kernels that can only read smaps may */
    bool deep;          /* also count what takes long: free blocks in long lists */
    bool kernel_only;   /* leave out what is read from the process's own memory */
};

struct process_snapshot {
    struct breakdown breakdown;
    struct smaps smaps; /* what the names of regions lie in */
};

/* Returns 0 or -errno with one sentence: -ESRCH no such process or it ended, -EPERM not allowed,
 * -ENOEXEC it has no memory of its own (kernel thread, zombie).  The caller ends it with
 * snapshot_fini after success. */
int snapshot_read(struct process_snapshot *snapshot, uint32_t pid,
                  const struct process_snapshot_options *options, struct fault *fault);
void snapshot_fini(struct process_snapshot *snapshot);
