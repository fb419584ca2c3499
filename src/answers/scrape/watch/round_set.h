/* round_set.h - the heights of blocks that were seen, for rounds.json:
 * {"min":r,"max":r,"all":[r,...]}. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/vec.h"
#include "scrape/watch/run_writer.h"

#define ROUNDS_MAX ((size_t)1 << 20) /* of "all"; later ones count for min and max only */

struct round_set {
    VEC(uint64_t) all; /* ascending */
    uint64_t first;    /* seen since it was made; valid if `has_any` */
    uint64_t min, max; /* as above */
    bool has_any;
};

void round_set_add(struct round_set *rounds, uint64_t height);
void round_set_fini(struct round_set *rounds);
/* Writes rounds.json, with what it had before.  Returns 0 or -errno. */
int round_set_write(const struct round_set *rounds, struct run_writer *writer);
/* Takes in the "all" of a rounds.json that is there. */
void round_set_read(struct round_set *rounds, int folder);
