/* inside_plan_parts.h - the inside of planning.  inside_files.c finds the files and has a process
 * without rights read them; there, inside_plan.c makes the plan. */
#pragma once

#include <limits.h>

#include "capture/programs/inside_plan.h"
#include "procfs/memory/maps.h"

struct planning {
    struct inside_plan *plan;
    struct inside_report *report;
    struct map_list maps;
    const char *wanted;
    char executable[PATH_MAX];
};

enum planned {
    PLANNED_OTHER,     /* Its allocator is in the plan; or the file cannot be read as code here. */
    PLANNED_FRUITLESS, /* It has no allocator. */
    PLANNED_FAILED     /* Out of memory. */
};

/* Adds the allocators of the file that is mapped at `region` to the plan.  Takes ownership of the
 * descriptor. */
enum planned inside_plan_file(struct planning *planning, const struct map_region *region, int fd);
