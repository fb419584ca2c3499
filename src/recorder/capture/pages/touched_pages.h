/* touched_pages.h - who first touched the pages that no hook saw being asked for, by kind of
 * owner. */
#pragma once

#include "capture/sessions/cell_source.h"
#include "capture/pages/page_owners.h"

struct touched_pages { /* To begin: `touchers` is set, the rest is zero. */
    struct touchers touchers;
    VEC(struct owned) list; /* `who` is a toucher's number. */
    bool has_failed;
};

/* For an area_visitor: adds [start, end) if its kind counts. */
void touched_pages_add(void *touched, enum owner_kind kind, uint64_t start, uint64_t end);
/* Orders the list by kind and who, and merges equal entries.  Returns 0; or -ENOMEM if something
 * could not be added. */
int touched_pages_sum(struct touched_pages *touched);
