/* site_list.h - the call sites that have numbers of their own in /metrics.
 *
 * A time series is only worth something when it goes on: a site that was once among the largest
 * stays in the list when it no longer is, until there is no room and it has been out of the
 * largest for longest.  Its name is a function's (see site_table.h), without lines and
 * addresses, so that it is the same after a restart and mostly after an update. Bound: four
 * times the number of largest ones asked for. */
#pragma once

#include "analyze/sums/running.h"
#include "analyze/sites/site_table.h"
#include "base/number_map.h"

#define SITE_NAME_MOST   192
#define SITES_DEFAULT    20
#define SITES_MOST       500
#define SITE_ROOM_FACTOR 4

struct site_sums {
    int64_t live_bytes, live_blocks;
    int64_t allocated_bytes, allocations; /* ever */
};

struct site {
    char function[SITE_NAME_MOST];
    uint64_t key;       /* of the name */
    uint64_t last_turn; /* when it was last among the largest */
    struct site_sums sums;
};

struct site_list {
    size_t largest;           /* how many of the largest are taken in */
    VEC(struct site) sites;   /* in the order they came; at most SITE_ROOM_FACTOR * largest */
    struct number_map by_key; /* index + 1 */
    uint64_t turn;
    struct site_sums other;  /* of sites that are not in the list; live only */
    struct site_table table; /* which site a stack belongs to; of no recording to begin with */
    size_t locations;        /* that the recording had when the table was made */
};

void site_list_init(struct site_list *list, size_t largest);
void site_list_fini(struct site_list *list);

/* Takes in the largest of now, and sets all numbers to those of now.  Returns 0 or -ENOMEM, which
 * leaves some of them old. */
int site_list_update(struct site_list *list, struct recording *recording,
                     const struct running *running);
