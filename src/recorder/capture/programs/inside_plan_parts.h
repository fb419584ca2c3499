/* inside_plan_parts.h - how a plan comes about: inside_files.c finds the files and has them read by
 * a process without rights, in which inside_plan.c makes the plan. */
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
    PLANNED_OTHER,     /* its allocator is in the plan; or the file cannot be read as code here */
    PLANNED_FRUITLESS, /* it has none */
    PLANNED_FAILED     /* there is no memory */
};

/* Adds what the file that is mapped there has to the plan.  Takes the descriptor. */
enum planned inside_plan_file(struct planning *planning, const struct map_region *region, int fd);
