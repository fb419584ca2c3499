/* cpu_lane.h - what goes into one recording: the samples and waits since it was last asked, and
 * the threads they are of.
 *
 * Samples and waits are kept one by one up to a bound, above it as sums by thread and stack; so
 * are threads, above theirs as one row.  Not thread-safe. */
#pragma once

#include "base/number_map.h"
#include "model/recording.h"

struct stack_intern;

struct cpu_news {
    uint64_t time_ns; /* 0: the sum of several */
    uint32_t thread;  /* place in the lane's threads */
    stack_id stack;   /* of the station's recording */
    uint32_t count;
    uint16_t column; /* COL_CPU_NS or COL_OFFCPU_NS */
    bool is_settled; /* its value agrees with what the kernel counts */
    uint64_t value_ns;
};

struct cpu_thread {
    uint32_t pid, tid;
    uint32_t row; /* of the recording, plus one; 0: none yet */
    char name[16];
    bool has_ended, is_free, is_new_name;
    stack_id last_stack; /* of its last sample; STACK_EMPTY: none */
};

struct cpu_lane { /* all zero to begin */
    VEC(struct cpu_news) news;
    VEC(struct cpu_thread) threads;
    struct number_map index;           /* place plus one, by thread */
    struct stack_intern *intern;       /* of the recording that they go to, which is ... */
    const struct recording *recording; /* ... this one; NULL: none yet */
    struct timing timing;
    uint64_t stack_ends[STACK_END_KINDS], wait_ends[STACK_END_KINDS];
    uint64_t lost_before, waits_lost_before,
        throttled_before; /* by the source, when its recording began */
};

/* The place of a thread of `pid`, from now on if it is new; UINT32_MAX when out of memory. */
uint32_t cpu_lane_thread(struct cpu_lane *lane, uint32_t pid, uint32_t tid);
void cpu_lane_name(struct cpu_lane *lane, uint32_t pid, uint32_t tid, const char *name);
/* Also of one that has ended, as long as nothing was taken since; UINT32_MAX when there is none. */
uint32_t cpu_lane_known_thread(const struct cpu_lane *lane, uint32_t tid);
void cpu_lane_end_thread(struct cpu_lane *lane, uint32_t tid);

/* 0 or -ENOMEM. */
int cpu_lane_add(struct cpu_lane *lane, const struct cpu_news *news);

/* The time that those samples of a process stand for which are not settled yet. */
uint64_t cpu_lane_unsettled_ns(const struct cpu_lane *lane, uint32_t pid);
/* They stand for so much of it from now on, and are settled. */
void cpu_lane_settle(struct cpu_lane *lane, uint32_t pid, double ratio);

/* Moves all into `bucket`: its cells, thread cells and moments.  `stacks` is where the stacks
 * are, `recording` where they go.  That may be another one than the last time, if a program says
 * that it is two: then what was remembered of the last one is forgotten.  0 or -ENOMEM: some may
 * be there, and come again. */
struct cpu_target {
    struct recording *recording;
    struct bucket *bucket;
    uint64_t bucket_begin_ns; /* on the monotonic clock */
};
int cpu_lane_collect(struct cpu_lane *lane, const struct recording *stacks,
                     const struct cpu_target *target);
/* Whoever took it is gone. */
void cpu_lane_forget(struct cpu_lane *lane);
void cpu_lane_fini(struct cpu_lane *lane);
