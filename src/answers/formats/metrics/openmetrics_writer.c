/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/metrics/openmetrics_writer.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"

static bool ends_with(const char *text, const char *ending)
{
    size_t const size = strlen(text), tail = strlen(ending);
    return size > tail && strcmp(text + size - tail, ending) == 0;
}

/* Whether the sample of that name is one that a family of this type has. */
static bool belongs(const char *base, const char *sample, enum exposition_type type)
{
    size_t const size = strlen(base);
    if (strncmp(base, sample, size) != 0)
        return false;
    const char *ending = sample + size;
    switch (type) {
    case EXPOSITION_HISTOGRAM:
        return strcmp(ending, "_bucket") == 0 || strcmp(ending, "_sum") == 0 ||
               strcmp(ending, "_count") == 0;
    case EXPOSITION_SUMMARY:
        return !*ending || strcmp(ending, "_sum") == 0 || strcmp(ending, "_count") == 0;
    case EXPOSITION_GAUGE:
        return !*ending;
    default:
        return false;
    }
}

void openmetrics_family_of(const struct exposition_family *declared, const char *sample,
                           struct openmetrics_family *family)
{
    bool const is_counter = declared->type == EXPOSITION_COUNTER && !ends_with(sample, "_created");
    family->type = EXPOSITION_UNKNOWN;
    snprintf(family->name, sizeof(family->name), "%s", sample);
    if (is_counter) {
        family->type = EXPOSITION_COUNTER;
        if (ends_with(family->name, "_total"))
            family->name[strlen(family->name) - strlen("_total")] = '\0';
    } else if (belongs(declared->name, sample, declared->type)) {
        family->type = declared->type;
        snprintf(family->name, sizeof(family->name), "%s", declared->name);
    }
}

static bool is_plain(const char *name, bool may_have_colons)
{
    if (!*name || (*name >= '0' && *name <= '9'))
        return false;
    for (; *name; name++)
        if (!((*name >= 'a' && *name <= 'z') || (*name >= 'A' && *name <= 'Z') || *name == '_' ||
              (*name >= '0' && *name <= '9') || (may_have_colons && *name == ':')))
            return false;
    return true;
}

/* Names that are not plain get underscores, as Prometheus itself does it by default. */
static void put_name(const char *name, bool may_have_colons, FILE *out)
{
    if (*name >= '0' && *name <= '9')
        putc('_', out);
    for (; *name; name++) {
        char const one[] = {*name, '\0'};
        bool const is_digit = *name >= '0' && *name <= '9';
        putc(is_digit || is_plain(one, may_have_colons) ? *name : '_', out);
    }
}

/* A quote inside help must be escaped in OpenMetrics and must not in the older text, which
 * promtool check reads: it becomes an apostrophe. */
static void put_escaped(const char *text, bool is_help, FILE *out)
{
    size_t left = strlen(text);
    while (left > 0) {
        size_t const size = utf8_length(text, left);
        if (size == 0)
            fputs("\xef\xbf\xbd", out);
        else if (*text == '\n')
            fputs("\\n", out);
        else if (is_help && *text == '"')
            putc('\'', out);
        else if (*text == '\\' || *text == '"')
            fprintf(out, "\\%c", *text);
        else
            fwrite(text, 1, size, out);
        text += size ? size : 1;
        left -= size ? size : 1;
    }
}

void openmetrics_family_write(const struct openmetrics_family *family, const char *help, FILE *out)
{
    fputs("# TYPE ", out);
    put_name(family->name, true, out);
    fprintf(out, " %s\n", exposition_type_name(family->type));
    if (!help || !*help)
        return;
    fputs("# HELP ", out);
    put_name(family->name, true, out);
    putc(' ', out);
    put_escaped(help, true, out);
    putc('\n', out);
}

static void put_value(struct exposition_value value, FILE *out)
{
    if (value.is_whole)
        fprintf(out, "%" PRIu64, value.whole);
    else if (isnan(value.real))
        fputs("NaN", out);
    else if (isinf(value.real))
        fputs(value.real > 0 ? "+Inf" : "-Inf", out);
    else {
        char text[40];
        for (int digits = 15; digits <= 17; digits++) {
            snprintf(text, sizeof(text), "%.*g", digits, value.real);
            if (strtod(text, NULL) == value.real)
                break;
        }
        fputs(text, out);
    }
}

static void put_label(const char *name, const char *value, const char *prefix, bool is_first,
                      FILE *out)
{
    fputs(is_first ? "{" : ",", out);
    fputs(prefix, out);
    put_name(name, false, out);
    fputs("=\"", out);
    put_escaped(value, false, out);
    putc('"', out);
}

static bool has_own_label(const struct openmetrics_sample *sample, const char *name)
{
    for (size_t i = 0; i < sample->more_count; i++)
        if (strcmp(sample->more[i].name, name) == 0)
            return true;
    return false;
}

/* Bounds of buckets are floats in OpenMetrics: 1 is written 1.0. */
static void put_bound(const char *value, char text[64])
{
    snprintf(text, 64, "%.60s%s", value, strspn(value, "0123456789") == strlen(value) ? ".0" : "");
}

static void put_labels(const struct openmetrics_sample *sample, FILE *out)
{
    const struct exposition_series *series = sample->series;
    bool is_first = true;
    for (size_t i = 0; i < sample->more_count; i++, is_first = false)
        put_label(sample->more[i].name, sample->more[i].value, "", is_first, out);
    for (uint32_t i = 0; i < series->label_count; i++, is_first = false) {
        const char *name = series->labels[i].name, *value = series->labels[i].value;
        char bound[64];
        if (sample->family->type == EXPOSITION_HISTOGRAM && strcmp(name, "le") == 0) {
            put_bound(value, bound);
            value = bound;
        }
        put_label(name, value, has_own_label(sample, name) ? "exported_" : "", is_first, out);
    }
    if (!is_first)
        putc('}', out);
}

void openmetrics_sample_write(const struct openmetrics_sample *sample, FILE *out)
{
    bool const is_counter = sample->family->type == EXPOSITION_COUNTER;
    put_name(is_counter ? sample->family->name : sample->series->name, true, out);
    if (is_counter)
        fputs("_total", out);
    put_labels(sample, out);
    putc(' ', out);
    put_value(sample->value, out);
    fprintf(out, " %" PRId64, sample->time_us / 1000000);
    if (sample->time_us % 1000000)
        fprintf(out, ".%03d", (int)(sample->time_us % 1000000 / 1000));
    putc('\n', out);
}

void openmetrics_end_write(FILE *out)
{
    fputs("# EOF\n", out);
}
