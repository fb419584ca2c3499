/* look_mappings.h - what a look at the pages tells of each mapping; one that several call sites
 * asked for is in pieces.  No I/O. */
#pragma once

#include "capture/books/area_list.h"
#include "model/memory/mapping.h"

struct look_mapping {
    uint64_t start, end, resident;
    /* its number among the maps: for its name; of several, that with the most resident */
    uint32_t source;
    uint32_t site; /* that mapped it; OWNER_NOBODY: not known */
    uint32_t count;
    uint8_t rights, owner;
};

struct look_mappings {
    VEC(struct look_mapping) items; /* by address, at most MAPPINGS_MAX */
};

struct mappings_question {
    const struct map_list *maps;
    const struct owner_area *areas;
    const struct page_span *present;
    const struct owner_range *mapped;
    size_t area_count, present_count, mapped_count; /* all by address */
};

/* 0 or -ENOMEM.  The caller frees the list. */
int look_mappings_make(const struct mappings_question *question, struct look_mappings *list);
