/* top_sites.h - the functions that hold most live heap in a process that is being recorded, or
 * whose live heap has grown most. */
#pragma once

#include "analyze/sums/live_pictures.h"
#include "capture/outside/watcher.h"

struct top_site {
    string_id function;  /* as in analyze/sites/site_table.h */
    int64_t bytes;       /* live */
    int64_t grown_bytes; /* since then; 0 where nothing was compared */
};
struct top_sites {
    VEC(struct top_site) sites; /* largest first */
};

/* At most `max`.  Only the stacks that hold most are looked at (a few thousand), so a function
 * may hold more than it says here.  0 or -ENOMEM. */
int top_sites_make(const struct watch_view *view, unsigned max, struct top_sites *top);
/* Those that have grown most since the picture, the one that grew most first. */
int top_sites_make_grown(const struct watch_view *view, const struct live_picture *since,
                         unsigned max, struct top_sites *top);
/* Takes a picture of what is live, if it is time for one. */
void top_sites_remember(const struct watch_view *view, struct live_pictures *pictures);
void top_sites_fini(struct top_sites *top);
