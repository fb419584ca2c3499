/* plot_sites.h - inside `report`: the call sites of a plot: which are the largest, and what they
 * have at the end of each column.
 *
 * Which they are is known when all was seen; until then what each site gets in each column is
 * noted.  Notes are bounded: when they are too many, each two columns become one. */
#pragma once

#include "analyze/sites/site_table.h"
#include "report/plot/plot_data.h"

struct site_note {
    uint32_t site; /* of the table */
    int64_t change;
};

struct site_slot {
    uint64_t end_ns;
    size_t notes_end; /* behind its last note */
};

struct site_maker {
    struct plot_data *data;
    uint64_t from_ns, to_ns;
    uint32_t *is_kept; /* by stack: not 0 when the filter keeps it; NULL: all are */
    size_t notes_most;
    struct site_table sites;
    VEC(int64_t) changes;  /* by site, in the slot at hand */
    VEC(uint32_t) changed; /* those sites */
    size_t column;         /* that it is the slot of */
    uint64_t begin_ns;     /* of the first bucket that is drawn */
    uint64_t end_ns;       /* of the last bucket that was seen; 0: none yet */
    VEC(struct site_note) notes;
    VEC(struct site_slot) slots; /* the first is of all that came before */
    bool failed;                 /* out of memory */
};

/* All buckets from the beginning of the recording on, or sums over stretches of them that do not
 * reach over `from_ns`; their columns are there already. */
void site_maker_add(void *into, const struct bucket *bucket);
/* After that: chooses the largest, and makes the instants. */
void site_maker_finish(struct site_maker *maker, unsigned top);
/* A pin knows its stacks exactly; the boundaries around it may miss what it saw. */
void site_maker_add_pins(struct site_maker *maker, const struct recording *recording);
void site_maker_fini(struct site_maker *maker);
