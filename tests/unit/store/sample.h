/* sample.h - recordings made by hand, and questions to ask of them. */
#pragma once

#include "model/recording.h"

#define SAMPLE_SECOND UINT64_C(1000000000)

/* Adds strings, a module, locations, frames, stacks and a thread; `round` makes them differ. */
void sample_add_tables(struct recording *recording, unsigned round);
/* Adds a bucket after the last one, with `cells` cells on known stacks. */
void sample_add_bucket(struct recording *recording, uint64_t width_ns, size_t cells, unsigned seed);
/* Puts a pin of `cells` cells into `slot`, or pushes it when slot is the number of pins. */
void sample_set_pin(struct recording *recording, size_t slot, struct pin pin, size_t cells);
/* Everything set to a number of its own. */
void sample_fill_state(struct recording *recording);

/* A path in a fresh folder of its own, removed by sample_forget_path. */
char *sample_path(void);
void sample_forget_path(char *path);
/* The whole file in memory; the caller frees. */
unsigned char *sample_slurp(const char *path, size_t *size);

/* The sum of value * weight(key, column) over all cells of all buckets: the same before and after
 * any merging, and different when anything moves. */
struct sample_sums {
    uint64_t cells, thread_cells, moments, lost_events;
    int64_t live_max;
};
struct sample_sums sample_sum(struct recording *recording);
void sample_sum_bucket(struct sample_sums *sums, const struct bucket *bucket);

/* Fails the running test at the first difference.  Cells are compared as sums. */
void sample_check_equal_tables(struct recording *a, struct recording *b);
