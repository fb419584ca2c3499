/* ram_growers.h - the functions whose heap grew between two profiles: of each node, and of all
 * nodes together.
 *
 * Flat is what a function itself allocated; cumulative includes everything that it called, and
 * counts recursion once.  Frames that a profile hides are left out. */
#pragma once

#include <stdbool.h>

#include "cluster/ram/ram.h"
#include "model/string_table.h"

struct grower {
    string_id function;
    int64_t flat, cumulative; /* growth in bytes; negative: became smaller */
    uint32_t nodes;           /* number of nodes where the cumulative bytes grew */
};

struct growers {
    struct string_table *names;
    VEC(struct grower) rows; /* functions that changed, the largest flat growth first */
    /* stamps of the two profiles; for all nodes together, the widest range */
    int64_t from_us, to_us;
    int64_t before, after; /* bytes */
    bool is_known;         /* two profiles could be read */
};

struct ram_growth {
    struct growers *nodes; /* by index of ram->nodes */
    struct growers all;
    uint32_t compared; /* number of nodes with two profiles */
};

/* Compares the first profile at or after `from_us` with the last at or before `to_us`.  Returns 0
 * or -errno. */
int ram_growth_read(struct ram_growth *growth, const struct ram *ram, int64_t from_us,
                    int64_t to_us);
void ram_growth_fini(struct ram_growth *growth, const struct ram *ram);
