/* openmetrics_writer.h - OpenMetrics 1.0 as a strict reader wants it: families apart, one TYPE
 * and HELP each, counters that end in _total, labels and help escaped, times in seconds, # EOF
 * at the end. */
#pragma once

#include <stdio.h>

#include "formats/metrics/exposition.h"

struct openmetrics_family {
    char name[512]; /* as its TYPE line has it: of a counter without _total */
    enum exposition_type type;
};

/* The family in which samples called `sample` of this declared family go.  What OpenMetrics has
 * no room for (a counter called x_created, a name that is not plain) is of unknown type. */
void openmetrics_family_of(const struct exposition_family *declared, const char *sample,
                           struct openmetrics_family *family);
/* The lines before its samples. */
void openmetrics_family_write(const struct openmetrics_family *family, const char *help, FILE *out);

struct openmetrics_sample {
    const struct openmetrics_family *family;
    const struct exposition_series *series;
    /* labels besides its own, which go first; one of its own of that name becomes exported_… */
    const struct exposition_label *more;
    size_t more_count;
    struct exposition_value value;
    int64_t time_us;
};
void openmetrics_sample_write(const struct openmetrics_sample *sample, FILE *out);
void openmetrics_end_write(FILE *out);
