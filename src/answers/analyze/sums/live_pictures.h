/* live_pictures.h - snapshots of the live bytes of each stack of a program that still runs, in
 * bounded memory: to say which stacks have grown since a snapshot.
 *
 * A snapshot keeps only the stacks with the most bytes.  When there are LIVE_PICTURES_MAX
 * snapshots, every second one is dropped and new ones are made half as often. */
#pragma once

#include "model/recording.h"

#define LIVE_PICTURES_MAX   16
#define LIVE_PICTURE_STACKS 2048u

struct live_picture {
    uint64_t time_ns;
    struct cell *cells; /* Sorted by key; owned by the snapshot. */
    size_t count;
};
/* Initialise with zeroes. */
struct live_pictures {
    struct live_picture items[LIVE_PICTURES_MAX];
    unsigned count;
    uint64_t spacing_ns;
};

/* True when the next snapshot is due at `time_ns`. */
bool live_pictures_is_due(const struct live_pictures *pictures, uint64_t time_ns);
/* Adds a snapshot of `cells`, which are all of one column.  Reorders `cells`.
 * Returns 0 or -ENOMEM. */
int live_pictures_add(struct live_pictures *pictures, uint64_t time_ns, struct cell *cells,
                      size_t count);
/* The newest snapshot that is not after `time_ns`; the oldest one if all are after it; NULL if
 * there is none.  Borrowed: valid until the next live_pictures_add. */
const struct live_picture *live_pictures_at(const struct live_pictures *pictures, uint64_t time_ns);
/* The value of stack `key` in the snapshot; 0 when the snapshot did not keep that stack. */
int64_t live_picture_value(const struct live_picture *picture, uint32_t key);
void live_pictures_fini(struct live_pictures *pictures);
