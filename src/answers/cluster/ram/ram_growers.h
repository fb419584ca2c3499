/* ram_growers.h - which functions hold more of the heap than before: of each node, and of all
 * nodes together, between two of its heap profiles.
 *
 * Flat is what a function allocated itself, cumulative what it and all it called did; recursion
 * counts once.  Frames that a profile asks not to be shown are not. */
#pragma once

#include <stdbool.h>

#include "cluster/ram/ram.h"
#include "model/string_table.h"

struct grower {
    string_id function;
    int64_t flat, cumulative; /* bytes more than before; less than 0: fewer */
    uint32_t nodes;           /* where its cumulative bytes became more */
};

struct growers {
    struct string_table *names;
    VEC(struct grower) rows; /* those that changed, the most flat growth first */
    int64_t from_us, to_us;  /* stamps of the two profiles; of all nodes together the widest */
    int64_t before, after;   /* bytes */
    bool is_known;           /* there were two profiles that could be read */
};

struct ram_growth {
    struct growers *nodes; /* by node of the ram */
    struct growers all;
    uint32_t compared; /* nodes with two profiles */
};

/* `from_us` and `to_us`: the first profile not before, the last not after them.  Returns 0 or
 * -errno. */
int ram_growth_read(struct ram_growth *growth, const struct ram *ram, int64_t from_us,
                    int64_t to_us);
void ram_growth_fini(struct ram_growth *growth, const struct ram *ram);
