/* snapshots.h - a level at chosen times: its size, and at some of these times its call sites.
 *
 * Files of massif and `memoir report --massif-like` are made of snapshots.  The times are bucket
 * boundaries and the pinned peak, where sums are exact.  When there are more than requested,
 * those are kept that shape the curve. */
#pragma once

#include "analyze/sums/weigh.h"

#define SNAPSHOTS_DEFAULT       100
#define SNAPSHOTS_MAX           100000
#define SNAPSHOT_DETAILED_EVERY 10

struct snapshot {
    uint64_t time_ns;
    int64_t bytes;        /* Requested and live, or the value of the metric. */
    int64_t blocks;       /* Number of blocks; 0 when not counted. */
    int64_t slack_bytes;  /* What the allocator gave in addition; heap only. */
    int64_t header_bytes; /* What the allocator stores with each block, if known. */
    int64_t stacks_bytes; /* Resident thread stacks; 0 unless requested. */
    int64_t most_bytes;   /* Maximum since the previous snapshot; -1: unknown. */
    bool is_detailed;     /* `weights` are filled. */
    bool is_untold;       /* The foreign file has only the sum. */
    bool is_pinned;       /* The pinned peak, between two bucket boundaries. */
    struct weights weights;
};

/* Bytes, extra bytes and stacks together. */
int64_t snapshot_total(const struct snapshot *snapshot);
/* Slack and headers together. */
int64_t snapshot_extra(const struct snapshot *snapshot);

struct snapshot_choice {
    const struct metric *metric; /* A level in bytes; see snapshots_metric. */
    struct time_range range;     /* Of the snapshots; levels count from the beginning. */
    const uint32_t *codes;       /* Indexed by stack_id: 0 ignores the stack.  NULL: all. */
    size_t max;                  /* Maximum number of snapshots; at least 3. */
    unsigned detailed_every;     /* One snapshot in this many has call sites; at least 1. */
    bool with_stacks;
};

struct snapshots {
    const struct metric *metric;
    VEC(struct snapshot) items; /* Sorted by time; at least one. */
    size_t peak;                /* Index of the peak; always detailed. */
    bool is_peak_exact;         /* The exact peak; else the highest bucket boundary. */
    bool has_slack, has_stacks; /* Slack, stacks were recorded. */
    unsigned header_bytes_each; /* 8 with glibc's allocator; 0: none or unknown. */
    size_t instants;            /* Number of instants to choose from. */
    struct time_range used;
};

/* The level to show for a requested metric; NULL stands for heap.live.  heap.peak and
 * heap.leaked become heap.live, because they are its value at one time.  Returns NULL with a
 * sentence when the metric is not a level in bytes. */
const struct metric *snapshots_metric(const struct metric *asked, struct fault *fault);

/* Returns 0 or -errno with a sentence.  Call snapshots_fini after success. */
int snapshots_make(struct recording *recording, const struct snapshot_choice *choice,
                   struct snapshots *snapshots, struct fault *fault);
void snapshots_fini(struct snapshots *snapshots);
