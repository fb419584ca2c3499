/* SPDX-License-Identifier: Apache-2.0 */
#include "model/own_metric.h"

#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "model/recording.h"

static const struct metric *find_own(const struct recording *recording, struct slice name)
{
    INVARIANT(recording->own_metric_count <= OWN_METRICS_MAX);
    for (unsigned i = 0; i < recording->own_metric_count; i++)
        if (slice_equals(slice_of(recording->own_metrics[i].name), name))
            return &recording->own_metrics[i];
    return NULL;
}

const struct metric *recording_add_metric(struct recording *recording, struct slice name,
                                          struct slice unit, enum metric_kind kind)
{
    const struct metric *known = find_own(recording, name);
    if (known || recording->own_metric_count == OWN_METRICS_MAX)
        return known;
    char *name_copy = strndup(name.size ? name.data : "", name.size);
    char *unit_copy = strndup(unit.size ? unit.data : "", unit.size);
    if (!name_copy || !unit_copy) {
        free(name_copy);
        free(unit_copy);
        return NULL;
    }
    INVARIANT(recording->own_metric_count < OWN_METRICS_MAX);
    struct metric *metric = &recording->own_metrics[recording->own_metric_count];
    *metric = (struct metric){.name = name_copy,
                              .unit = unit_copy,
                              .help = "as the file counts it",
                              .kind = kind,
                              .plus = (enum column)(COL_OWN_0 + recording->own_metric_count)};
    recording->own_metric_count++;
    return metric;
}

const struct metric *recording_metric(const struct recording *recording, const char *name)
{
    const struct metric *own = find_own(recording, slice_of(name));
    return own ? own : metric_find(name);
}

void recording_free_metrics(struct recording *recording)
{
    for (unsigned i = 0; i < recording->own_metric_count; i++) {
        free((char *)(uintptr_t)recording->own_metrics[i].name);
        free((char *)(uintptr_t)recording->own_metrics[i].unit);
    }
    recording->own_metric_count = 0;
}
