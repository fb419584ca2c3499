/* top_sites.h - the functions that hold most live heap in a process that is being recorded, or
 * whose live heap has grown most. */
#pragma once

#include "analyze/sums/live_pictures.h"
#include "capture/outside/watcher.h"

struct top_site {
    string_id function;  /* as in analyze/sites/site_table.h */
    int64_t bytes;       /* live */
    int64_t grown_bytes; /* since the picture; 0 if there is no picture */
};
struct top_sites {
    VEC(struct top_site) sites; /* largest first */
};

/* Finds the sites with the most live heap, at most `max`.  Only a few thousand of the largest
 * stacks are read, so a function may hold more than its `bytes`.  Returns 0 or -ENOMEM. */
int top_sites_make(const struct watch_view *view, unsigned max, struct top_sites *top);
/* Like top_sites_make, but finds the sites that have grown most since the picture. */
int top_sites_make_grown(const struct watch_view *view, const struct live_picture *since,
                         unsigned max, struct top_sites *top);
/* Takes a picture of the live heap if one is due. */
void top_sites_remember(const struct watch_view *view, struct live_pictures *pictures);
void top_sites_fini(struct top_sites *top);
