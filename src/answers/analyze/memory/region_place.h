/* region_place.h - where in a breakdown a mapping belongs, by the kernel's name of it, its path
 * and its rights. */
#pragma once

#include "model/memory/breakdown.h"

struct region_place {
    enum breakdown_section section;
    enum breakdown_evidence evidence;
    char label[96], item[160];
};

struct region_context {
    const char *program; /* path of the executable */
    bool has_code;       /* this file is mapped as code somewhere in the process */
};

/* The first rule that fits, of the table in region_place.c. */
void region_place_find(const struct memory_region *region, const struct region_context *context,
                       struct region_place *into);
