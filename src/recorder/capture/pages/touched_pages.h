/* touched_pages.h - who touched the pages first that no hook saw being asked for, by kind of
 * owner. */
#pragma once

#include "capture/sessions/cell_source.h"
#include "capture/pages/page_owners.h"

struct touched_pages { /* `touchers` given, else all zero, to begin */
    struct touchers touchers;
    VEC(struct owned) list; /* `who` is a toucher's number */
    bool has_failed;
};

/* An area_visitor's: adds [start, end), if it is of a kind that counts. */
void touched_pages_add(void *touched, enum owner_kind kind, uint64_t start, uint64_t end);
/* Orders the list by kind and who, none twice.  0 or -ENOMEM, when something could not be added. */
int touched_pages_sum(struct touched_pages *touched);
