/* top_sites.h - the functions that hold most live heap in a process that is being recorded. */
#pragma once

#include "capture/watcher.h"

struct top_site {
    string_id function; /* as in analyze/site_table.h */
    int64_t bytes;
};
struct top_sites {
    VEC(struct top_site) sites; /* largest first */
};

/* At most `max`.  Only the stacks that hold most are looked at (a few thousand), so a function may hold more than it
 * says here.  0 or -ENOMEM. */
int top_sites_make(const struct watch_view *view, unsigned max, struct top_sites *top);
void top_sites_fini(struct top_sites *top);
