/* timeline_json.h - writes a recording as curves over time, as JSON for a page that draws them; see
 * docs/api.md. */
#pragma once

#include <stdio.h>

#include "report/plot/plot_data.h"

/* Returns 0 or -EIO. */
int timeline_json_write(const struct recording *recording, const struct plot_data *data, FILE *out);
