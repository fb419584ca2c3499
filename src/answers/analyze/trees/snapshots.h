/* snapshots.h - a level at chosen instants: how much there was, and at some of them whose it was.
 *
 * What files of massif and `memoir report --massif-like` are made of.  Instants are the ends of buckets and the
 * pinned peak, where sums are exact.  When there are more than asked for, those are kept that shape the curve. */
#pragma once

#include "analyze/sums/weigh.h"

#define SNAPSHOTS_DEFAULT       100
#define SNAPSHOTS_MAX           100000
#define SNAPSHOT_DETAILED_EVERY 10

struct snapshot {
    uint64_t time_ns;
    int64_t bytes;        /* asked for and live, or whatever the metric is */
    int64_t blocks;       /* 0 when not counted */
    int64_t slack_bytes;  /* what the allocator gave beyond that; of the heap only */
    int64_t header_bytes; /* what it keeps beside each block, as far as that is known */
    int64_t stacks_bytes; /* resident stacks of threads; 0 unless asked for */
    int64_t most_bytes;   /* the most at any instant since the snapshot before; -1 unknown */
    bool is_detailed;     /* `weights` are there */
    bool is_untold;       /* a foreign file gave its sum alone */
    bool is_pinned;       /* the peak as it was remembered, between two ends of buckets */
    struct weights weights;
};

/* Useful, extra and stacks together. */
int64_t snapshot_total(const struct snapshot *snapshot);
int64_t snapshot_extra(const struct snapshot *snapshot);

struct snapshot_choice {
    const struct metric *metric; /* a level in bytes; see snapshots_metric */
    struct time_range range;     /* of the instants; levels count from the beginning */
    const uint32_t *codes;       /* by stack_id, see stack_match: 0 leaves it out; NULL: all */
    size_t max;                  /* snapshots, at least 3 */
    unsigned detailed_every;     /* one in so many has its call sites; at least 1 */
    bool with_stacks;
};

struct snapshots {
    const struct metric *metric;
    VEC(struct snapshot) items; /* by time; at least one */
    size_t peak;                /* index; always detailed */
    bool is_peak_exact;         /* to the instant, else the highest end of a bucket */
    bool has_slack, has_stacks; /* were recorded at all */
    unsigned header_bytes_each; /* 8 with glibc's allocator; 0: none, or not known */
    size_t instants;            /* there were to choose from */
    struct time_range used;
};

/* The level to show for a metric asked for, NULL standing for heap.live: heap.peak and heap.leaked are instants of
 * heap.live.  NULL with a sentence when it is no level in bytes. */
const struct metric *snapshots_metric(const struct metric *asked, struct fault *fault);

/* 0 or -errno with a sentence.  Call snapshots_fini after success. */
int snapshots_make(struct recording *recording, const struct snapshot_choice *choice,
                   struct snapshots *snapshots, struct fault *fault);
void snapshots_fini(struct snapshots *snapshots);
