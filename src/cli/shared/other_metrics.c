/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/other_metrics.h"

#include <stdio.h>

void tell_other_metrics(const char *command, const struct recording *recording,
                        const struct metric *shown)
{
    unsigned told = 0, others = 0;
    for (unsigned i = 0; i < recording->own_metric_count; i++)
        others += &recording->own_metrics[i] != shown;
    if (others == 0)
        return;
    fprintf(stderr, "memoir %s: note: this is %s; the file also counts ", command, shown->name);
    for (unsigned i = 0; i < recording->own_metric_count; i++) {
        const struct metric *metric = &recording->own_metrics[i];
        if (metric == shown)
            continue;
        told++;
        fprintf(stderr, "%s%s", told == 1 ? "" : told == others ? " and " : ", ", metric->name);
    }
    fprintf(stderr, ": --metric chooses\n");
}
