/* cpu_lane.h - what goes into one recording: the samples and waits since the last collect, and
 * their threads.
 *
 * Up to a bound, samples and waits are kept one by one; beyond it, as sums by thread and stack.
 * Threads beyond their bound share one row.  Not thread-safe. */
#pragma once

#include "base/number_map.h"
#include "model/recording.h"

struct stack_intern;

struct cpu_news {
    uint64_t time_ns; /* 0: the sum of several. */
    uint32_t thread;  /* Index in the lane's threads. */
    stack_id stack;   /* In the station's recording. */
    uint32_t count;
    uint16_t column; /* COL_CPU_NS or COL_OFFCPU_NS. */
    bool is_settled; /* Its value agrees with what the kernel counts. */
    uint64_t value_ns;
};

struct cpu_thread {
    uint32_t pid, tid;
    uint32_t row; /* In the recording, plus one; 0: none yet. */
    char name[16];
    bool has_ended, is_free, is_new_name;
    stack_id last_stack; /* Of its last sample; STACK_EMPTY: none. */
};

struct cpu_lane { /* All zero to begin. */
    VEC(struct cpu_news) news;
    VEC(struct cpu_thread) threads;
    struct number_map index;           /* Index plus one, by thread. */
    struct stack_intern *intern;       /* For the recording that they go to, which is ... */
    const struct recording *recording; /* ... this one; NULL: none yet. */
    struct timing timing;
    uint64_t stack_ends[STACK_END_KINDS], wait_ends[STACK_END_KINDS];
    uint64_t lost_before, waits_lost_before,
        throttled_before; /* by the source, when its recording began */
};

/* Returns the index of a thread of `pid`, which is added if it is new; UINT32_MAX when out of
 * memory. */
uint32_t cpu_lane_thread(struct cpu_lane *lane, uint32_t pid, uint32_t tid);
void cpu_lane_name(struct cpu_lane *lane, uint32_t pid, uint32_t tid, const char *name);
/* Returns the index of a thread; also of one that has ended, as long as nothing was collected
 * since; UINT32_MAX if there is none. */
uint32_t cpu_lane_known_thread(const struct cpu_lane *lane, uint32_t tid);
void cpu_lane_end_thread(struct cpu_lane *lane, uint32_t tid);

/* Returns 0 or -ENOMEM. */
int cpu_lane_add(struct cpu_lane *lane, const struct cpu_news *news);

/* Returns the time of those samples of a process that are not settled yet. */
uint64_t cpu_lane_unsettled_ns(const struct cpu_lane *lane, uint32_t pid);
/* Multiplies the time of these samples by `ratio`, and settles them. */
void cpu_lane_settle(struct cpu_lane *lane, uint32_t pid, double ratio);

/* Moves everything into `bucket`: its cells, thread cells and moments.  `stacks` is the recording
 * that has the stacks, `target->recording` gets them.  If that is another recording than the last
 * time, because a program became two, what was remembered of the last one is forgotten.  Returns 0
 * or -ENOMEM: then a part may be moved, and comes again. */
struct cpu_target {
    struct recording *recording;
    struct bucket *bucket;
    uint64_t bucket_begin_ns; /* On the monotonic clock. */
};
int cpu_lane_collect(struct cpu_lane *lane, const struct recording *stacks,
                     const struct cpu_target *target);
/* To be called when that recording is gone. */
void cpu_lane_forget(struct cpu_lane *lane);
void cpu_lane_fini(struct cpu_lane *lane);
