/* site_list.h - the call sites that have numbers of their own in /metrics.
 *
 * A time series is useful only if it continues.  So a site that was once among the largest stays in
 * the list.  When the list is full, the site that has been out of the largest for the longest time
 * is dropped.  A site is named after its function (see site_table.h), without lines and addresses,
 * so the name stays after a restart and mostly after an update.  The list has at most
 * SITE_ROOM_FACTOR times the number of largest sites asked for. */
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
    uint64_t key;       /* hash of the name */
    uint64_t last_turn; /* when it was last among the largest */
    struct site_sums sums;
};

struct site_list {
    size_t largest; /* how many of the largest sites are added in each turn */
    /* in the order in which they were added; at most SITE_ROOM_FACTOR * largest */
    VEC(struct site) sites;
    struct number_map by_key; /* index + 1 */
    uint64_t turn;
    /* sum of the sites that are not in the list; live bytes and blocks only */
    struct site_sums other;
    struct site_table table; /* the site of each stack; of no recording at first */
    size_t locations;        /* locations that the recording had when the table was made */
};

void site_list_init(struct site_list *list, size_t largest);
void site_list_fini(struct site_list *list);

/* Adds the sites that are the largest now, and updates all numbers.  Returns 0; or -ENOMEM, and
 * some numbers stay old. */
int site_list_update(struct site_list *list, struct recording *recording,
                     const struct running *running);
