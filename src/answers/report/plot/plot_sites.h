/* plot_sites.h - inside `report`: finds the largest call sites of a plot, and their values at the
 * end of each column.
 *
 * The largest sites are known only after all buckets were read.  Until then, notes say how much
 * each site changed in each column.  The number of notes is limited: when there are too many, each
 * two columns are merged. */
#pragma once

#include "analyze/sites/site_table.h"
#include "report/plot/plot_data.h"

struct site_note {
    uint32_t site; /* site of the table */
    int64_t change;
};

struct site_slot {
    uint64_t end_ns;
    size_t notes_end; /* index after the last note of the slot */
};

struct site_maker {
    struct plot_data *data;
    uint64_t from_ns, to_ns;
    uint32_t *is_kept; /* by stack: not 0 if the filter keeps the stack; NULL: all are kept */
    size_t notes_most;
    struct site_table sites;
    VEC(int64_t) changes;  /* by site, in the current slot */
    VEC(uint32_t) changed; /* the sites with a change */
    size_t column;         /* the column that the current slot belongs to */
    uint64_t begin_ns;     /* begin of the first bucket that is drawn */
    uint64_t end_ns;       /* end of the last bucket that was added; 0: none */
    VEC(struct site_note) notes;
    VEC(struct site_slot) slots; /* the first is the sum of everything before the range */
    bool failed;                 /* out of memory */
};

/* Adds a bucket, or a sum of buckets that does not extend across `from_ns`.  Call it for all of
 * them from the beginning of the recording, after their columns were made. */
void site_maker_add(void *into, const struct bucket *bucket);
/* Call it after the last bucket: chooses the largest sites, and makes the instants. */
void site_maker_finish(struct site_maker *maker, unsigned top);
/* Adds the pins as instants.  A pin has the exact values of its time, which the boundaries of
 * columns may miss. */
void site_maker_add_pins(struct site_maker *maker, const struct recording *recording);
void site_maker_fini(struct site_maker *maker);
