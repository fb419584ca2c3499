/* snapshot.h - reads everything about the memory of one process now, from the kernel and from its
 * runtimes, and sorts it.
 *
 * The process is not stopped, and nothing is written to it.  Reading smaps makes mmap and munmap of
 * the process wait, at worst 20 ms per resident GiB in small pages.  If that takes too long, the
 * pages are walked gently instead (procfs/memory/pagemap.h), which gives RSS and swap, but no PSS
 * and no private and shared bytes. */
#pragma once

#include "analyze/memory/sort_regions.h"
#include "base/fault.h"
#include "model/memory/breakdown.h"
#include "procfs/memory/smaps.h"

enum snapshot_way {
    SNAPSHOT_AUTO,  /* smaps, unless it would take longer than the budget */
    SNAPSHOT_SMAPS, /* smaps, however long it takes */
    SNAPSHOT_GENTLE
};
#define SNAPSHOT_NS_PER_GIB UINT64_C(20000000)         /* of reading smaps, in small pages */
#define SNAPSHOT_BUDGET_NS  (12 * SNAPSHOT_NS_PER_GIB) /* unless told otherwise */

struct process_snapshot_options {
    enum snapshot_way way;
    struct sort_rules rules;
    /* only this many mappings will be listed, by RSS, so others may be kept as sums; 0: all */
    size_t top;
    /* 0: SNAPSHOT_BUDGET_NS, and no limit for kernels that can only read smaps */
    uint64_t budget_ns;
    bool deep;        /* also count what takes long: free blocks in long lists */
    bool kernel_only; /* do not read the memory of the process itself */
};

struct process_snapshot {
    struct breakdown breakdown;
    struct smaps smaps; /* owns the names of regions */
};

/* Returns 0; or -errno with one sentence: -ESRCH if there is no such process or it has ended,
 * -EPERM if not allowed, -ENOEXEC if it has no memory of its own (a kernel thread, a zombie).  Call
 * snapshot_fini after success. */
int snapshot_read(struct process_snapshot *snapshot, uint32_t pid,
                  const struct process_snapshot_options *options, struct fault *fault);
void snapshot_fini(struct process_snapshot *snapshot);
