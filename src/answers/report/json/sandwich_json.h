/* sandwich_json.h - one function, its callers and its callees, as JSON for pages:
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
    uint32_t alike;             /* others that the question may have meant */
    const struct sandwich *sandwich;
    const struct svg_out *flame; /* both trees, as flame_data.h has them */
};

/* Returns 0 or -EIO. */
int sandwich_json_write(const struct sandwich_report *report, FILE *out);
