/* openmetrics_writer.h - writes OpenMetrics 1.0 for strict readers: one family after the other,
 * each with one TYPE and one HELP, counters that end in _total, escaped labels and help, times in
 * seconds, and # EOF at the end. */
#pragma once

#include <stdio.h>

#include "formats/metrics/exposition.h"

struct openmetrics_family {
    char name[512]; /* as in its TYPE line: without _total for a counter */
    enum exposition_type type;
};

/* Finds the family for samples named `sample` of the family `declared`.  If OpenMetrics does not
 * allow its type or name (a counter named x_created, a name with special characters), the type is
 * unknown. */
void openmetrics_family_of(const struct exposition_family *declared, const char *sample,
                           struct openmetrics_family *family);
/* Writes the lines before the samples of the family. */
void openmetrics_family_write(const struct openmetrics_family *family, const char *help, FILE *out);

struct openmetrics_sample {
    const struct openmetrics_family *family;
    const struct exposition_series *series;
    /* further labels, which are written first; a label of the series with one of these names is
     * renamed to exported_… */
    const struct exposition_label *more;
    size_t more_count;
    struct exposition_value value;
    int64_t time_us;
};
void openmetrics_sample_write(const struct openmetrics_sample *sample, FILE *out);
void openmetrics_end_write(FILE *out);
