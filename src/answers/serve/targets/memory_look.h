/* memory_look.h - all memory of the process by whose it is, for /metrics: taken now and then,
 * kept as sums.
 *
 * Names come from the process and may be any and many: those of one category beyond
 * SUBSYSTEMS_MOST are summed up as "other". */
#pragma once

#include "process_map/snapshot.h"

#define SUBSYSTEMS_MOST     12 /* of one category, and one for the rest */
#define SUBSYSTEM_NAME_MOST 64
#define LOOK_SHARE          100 /* looking may take this part of the time */

struct subsystem {
    enum breakdown_section category;
    char name[SUBSYSTEM_NAME_MOST];
    struct memory_bytes bytes;
};

struct runtime_number {
    char runtime[32], name[48];
    uint64_t bytes;
    bool is_limit; /* that the runtime has set itself, not memory it has */
};

struct memory_look {
    bool is_known;
    bool has_shares; /* PSS and private bytes; not when the pages were walked gently */
    VEC(struct subsystem) subsystems;  /* their sum is the total */
    VEC(struct runtime_number) inside; /* what runtimes say about themselves */
    struct memory_bytes total;
    struct cgroup_memory cgroup;
    int64_t page_tables; /* -1: unknown */
    /* the kernel's count, just after, less the sum; 0 where the sum lies between before and
     * after */
    int64_t unattributed;
    uint64_t regions;
    uint64_t taken_ns, cost_ns; /* when, monotonic, and how long it took */
    uint64_t looks, gentle_looks, failures;
};

/* Looks again, unless that was so lately that it would take more than its share of the time. */
void memory_look_refresh(struct memory_look *look, uint32_t pid);
void memory_look_fini(struct memory_look *look);

/* Sums up a breakdown; what was known before is dropped.  Returns 0 or -ENOMEM.  (For
 * memory_look_refresh, and for tests.) */
int memory_look_sum(struct memory_look *look, const struct breakdown *breakdown);
