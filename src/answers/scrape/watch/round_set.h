/* round_set.h - the heights of the blocks seen, for rounds.json:
 * {"min":r,"max":r,"all":[r,...]}. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "scrape/watch/run_writer.h"

/* maximum size of "all"; later heights change only min and max */
#define ROUNDS_MAX ((size_t)1 << 20)

struct round_set {
    VEC(uint64_t) all; /* ascending */
    uint64_t first;    /* first height seen since the set was created; valid if `has_any` */
    uint64_t min, max; /* valid if `has_any` */
    bool has_any;
};

void round_set_add(struct round_set *rounds, uint64_t height);
void round_set_fini(struct round_set *rounds);
/* Writes rounds.json, including what the file had before.  Returns 0 or -errno. */
int round_set_write(const struct round_set *rounds, struct run_writer *writer);
/* Adds the "all" of an existing rounds.json to the set. */
void round_set_read(struct round_set *rounds, int folder);
