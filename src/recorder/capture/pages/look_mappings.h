/* look_mappings.h - what a look at the pages finds out about each mapping.  A mapping that several
 * call sites made is split.  No I/O. */
#pragma once

#include "capture/books/area_list.h"
#include "model/memory/mapping.h"

struct look_mapping {
    uint64_t start, end, resident;
    /* Index among the maps, for its name; of several, the one with the most resident bytes. */
    uint32_t source;
    uint32_t site; /* The site that mapped it; OWNER_NOBODY: unknown. */
    uint32_t count;
    uint8_t rights, owner;
};

struct look_mappings {
    VEC(struct look_mapping) items; /* By address, at most MAPPINGS_MAX. */
};

struct mappings_question {
    const struct map_list *maps;
    const struct owner_area *areas;
    const struct page_span *present;
    const struct owner_range *mapped;
    size_t area_count, present_count, mapped_count; /* All lists are ordered by address. */
};

/* Returns 0 or -ENOMEM.  The caller frees the list. */
int look_mappings_make(const struct mappings_question *question, struct look_mappings *list);
