/* memory_look.h - all memory of a process by owner, for /metrics; read now and then, and kept as
 * sums.
 *
 * Names come from the process, and there may be many.  In each category, the names after the first
 * SUBSYSTEMS_MOST are added up as "other". */
#pragma once

#include "process_map/snapshot.h"

#define SUBSYSTEMS_MOST     12 /* in one category; one more is for the rest */
#define SUBSYSTEM_NAME_MOST 64
#define LOOK_SHARE          100 /* reading takes at most 1/LOOK_SHARE of the time */

struct subsystem {
    enum breakdown_section category;
    char name[SUBSYSTEM_NAME_MOST];
    struct memory_bytes bytes;
};

struct runtime_number {
    char runtime[32], name[48];
    uint64_t bytes;
    bool is_limit; /* a limit that the runtime set itself, not memory that it has */
};

struct memory_look {
    bool is_known;
    bool has_shares; /* has PSS and private bytes, which a gentle walk of the pages does not give */
    VEC(struct subsystem) subsystems;  /* they add up to the total */
    VEC(struct runtime_number) inside; /* what runtimes say about themselves */
    struct memory_bytes total;
    struct cgroup_memory cgroup;
    int64_t page_tables; /* -1: unknown */
    /* the kernel's RSS, read just after, minus our sum; 0 if the sum is between the values read
     * before and after */
    int64_t unattributed;
    uint64_t regions;
    uint64_t taken_ns, cost_ns; /* monotonic time of the last reading, and how long it took */
    uint64_t looks, gentle_looks, failures;
};

/* Reads the memory again, unless that would exceed the share of time above. */
void memory_look_refresh(struct memory_look *look, uint32_t pid);
void memory_look_fini(struct memory_look *look);

/* Replaces the sums by those of a breakdown.  Returns 0 or -ENOMEM.  For memory_look_refresh and
 * tests. */
int memory_look_sum(struct memory_look *look, const struct breakdown *breakdown);
