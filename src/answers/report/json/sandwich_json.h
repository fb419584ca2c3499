/* sandwich_json.h - writes one function with its callers and callees as JSON, for pages; see
 * docs/api.md. */
#pragma once

#include <stdio.h>

#include "analyze/sites/rank.h"
#include "analyze/trees/sandwich.h"
#include "report/pictures/svg_out.h"

struct sandwich_report {
    const struct recording *recording;
    const struct weights *weights;
    const struct rank_row *row; /* the function, as `memoir report --by function` has it */
    uint32_t alike;             /* number of other functions that the question may have meant */
    const struct sandwich *sandwich;
    const struct svg_out *flame; /* both trees, in the form of flame_data.h */
};

/* Returns 0 or -EIO. */
int sandwich_json_write(const struct sandwich_report *report, FILE *out);
