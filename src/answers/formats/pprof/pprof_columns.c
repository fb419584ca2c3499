/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/pprof/pprof_columns.h"

#include <errno.h>
#include <stdio.h>

#include "base/clock.h"

struct known_type {
    const char *type;
    enum pprof_role role;
    enum column column;
    const char *metric;  /* that shows it */
    const char *partner; /* it is this one only beside another type; NULL: always */
};

static const struct known_type known_types[] = {
    {"alloc_objects", ROLE_ALLOC_COUNT, COL_NONE, "heap.calls", NULL},
    {"alloc_space", ROLE_ALLOC_BYTES, COL_NONE, "heap.allocated", NULL},
    {"inuse_objects", ROLE_LIVE_COUNT, COL_NONE, "heap.live", NULL},
    {"inuse_space", ROLE_LIVE_BYTES, COL_NONE, "heap.live", NULL},
    {"objects", ROLE_LIVE_COUNT, COL_NONE, "heap.live", "space"},
    {"space", ROLE_LIVE_BYTES, COL_NONE, "heap.live", "objects"},
    {"peak_objects", ROLE_PEAK_COUNT, COL_NONE, "heap.peak", "peak_space"},
    {"peak_space", ROLE_PEAK_BYTES, COL_NONE, "heap.peak", "peak_objects"},
    {"samples", ROLE_CELL, COL_CPU_SAMPLES, "cpu.on", "cpu"},
    {"cpu", ROLE_CELL, COL_CPU_NS, "cpu.on", NULL},
    {"contentions", ROLE_CELL, COL_OFFCPU_COUNT, "cpu.off", "delay"},
    {"delay", ROLE_CELL, COL_OFFCPU_NS, "cpu.off", "contentions"},
    {NULL, ROLE_NONE, COL_NONE, NULL, NULL},
};

static const struct {
    const char *unit;
    const char *ours; /* the unit of memoir's that it is a multiple of */
    int64_t factor;
} units[] = {
    {"nanoseconds", "ns", 1},
    {"nanosecond", "ns", 1},
    {"ns", "ns", 1},
    {"microseconds", "ns", 1000},
    {"us", "ns", 1000},
    {"milliseconds", "ns", 1000000},
    {"ms", "ns", 1000000},
    {"seconds", "ns", NS_PER_SECOND},
    {"s", "ns", NS_PER_SECOND},
    {"bytes", "bytes", 1},
    {"byte", "bytes", 1},
    {"b", "bytes", 1},
    {"kilobytes", "bytes", 1024},
    {"kb", "bytes", 1024},
    {"megabytes", "bytes", 1 << 20},
    {"mb", "bytes", 1 << 20},
    {"count", "count", 1},
    {"objects", "count", 1},
    {"", "count", 1},
};

/* The factor from `unit` to `ours`, or 0. */
static int64_t factor_of(struct slice unit, const char *ours)
{
    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strcmp(units[i].ours, ours) == 0 && slice_equals(unit, slice_of(units[i].unit)))
            return units[i].factor;
    return 0;
}

static struct slice type_of(const struct pprof_profile *profile, size_t column)
{
    return pprof_text(profile, profile->types.items[column].type);
}

static bool has_type(const struct pprof_profile *profile, struct slice type)
{
    for (size_t i = 0; i < profile->types.count; i++)
        if (slice_equals(type_of(profile, i), type))
            return true;
    return false;
}

static const char *unit_of(const struct known_type *known)
{
    if (known->column == COL_CPU_NS || known->column == COL_OFFCPU_NS)
        return "ns";
    return known->role == ROLE_ALLOC_BYTES || known->role == ROLE_LIVE_BYTES ||
                   known->role == ROLE_PEAK_BYTES
               ? "bytes"
               : "count";
}

static const struct known_type *find_known(const struct pprof_profile *profile, size_t column,
                                           int64_t *factor)
{
    struct slice const unit = pprof_text(profile, profile->types.items[column].unit);
    for (const struct known_type *known = known_types; known->type; known++) {
        if (!slice_equals(type_of(profile, column), slice_of(known->type)) ||
            (known->partner && !has_type(profile, slice_of(known->partner))))
            continue;
        *factor = factor_of(unit, unit_of(known));
        return *factor ? known : NULL;
    }
    return NULL;
}

/* Of a name that memoir gave it: "pages.anon", or "pages.anon.count" beside it.  COL_NONE when
 * it is none. */
static enum column find_ours(const struct pprof_profile *profile, size_t column,
                             const struct metric **metric)
{
    static const char suffix[] = ".count";
    struct slice type = type_of(profile, column);
    char name[64];
    size_t const tail = sizeof(suffix) - 1;
    bool const is_count =
        type.size > tail && memcmp(type.data + type.size - tail, suffix, tail) == 0;
    if (is_count)
        type.size -= tail;
    if (type.size == 0 || type.size >= sizeof(name) || (is_count && !has_type(profile, type)))
        return COL_NONE;
    snprintf(name, sizeof(name), "%.*s", (int)type.size, type.data);
    *metric = metric_find(name);
    if (!*metric || (*metric)->kind == METRIC_PINNED)
        return COL_NONE;
    return is_count ? (*metric)->count_plus : (*metric)->plus;
}

/* "pages.anon.count" of a metric that counts nothing, or that of one of the file's own. */
static bool is_empty_count(const struct pprof_profile *profile, size_t column)
{
    struct slice type = type_of(profile, column);
    if (type.size <= 6 || memcmp(type.data + type.size - 6, ".count", 6) != 0)
        return false;
    type.size -= 6;
    if (!has_type(profile, type))
        return false;
    for (size_t i = 0; i < profile->samples.count; i++)
        if (pprof_value(profile, i, (unsigned)column))
            return false;
    return true;
}

/* Whether one before it has the same name: adding up the two would make no sense. */
static bool is_repeated(const struct pprof_profile *profile, unsigned column)
{
    for (unsigned i = 0; i < column; i++)
        if (slice_equals(type_of(profile, i), type_of(profile, column)))
            return true;
    return false;
}

static const struct metric *add_own(struct pprof_columns *columns,
                                    const struct pprof_profile *profile, unsigned column,
                                    struct recording *recording)
{
    struct slice name = type_of(profile, column);
    struct slice unit = pprof_text(profile, profile->types.items[column].unit);
    if (is_empty_count(profile, column))
        return NULL;
    if (name.size == 0)
        name = slice_of("value");
    if (factor_of(unit, "ns") == 1)
        unit = slice_of("ns");
    char longer[128];
    if (is_repeated(profile, column)) {
        snprintf(longer, sizeof(longer), "%.*s.%u", name.size < 100 ? (int)name.size : 100,
                 name.data, column);
        name = slice_of(longer);
    }
    const struct metric *metric = recording_add_metric(recording, name, unit, METRIC_LEVEL);
    if (!metric) {
        columns->left_out++;
        return NULL;
    }
    columns->items[column].role = ROLE_CELL;
    columns->items[column].column = metric->plus;
    return metric;
}

/* What the column is; the name of the metric that shows it, or NULL. */
static const char *add_column(struct pprof_columns *columns, const struct pprof_profile *profile,
                              unsigned column, struct recording *recording)
{
    const struct metric *metric = NULL;
    int64_t factor = 1;
    const struct known_type *known = find_known(profile, column, &factor);
    columns->items[column].factor = factor;
    if (known) {
        columns->items[column].role = known->role;
        columns->items[column].column = known->column;
        columns->has[known->role] = true;
        columns->has_cpu |= known->column == COL_CPU_NS;
        columns->has_waits |= known->column == COL_OFFCPU_NS;
        return known->metric;
    }
    columns->items[column].factor = 1;
    enum column const ours = find_ours(profile, column, &metric);
    if (ours != COL_NONE) {
        columns->items[column].role = ROLE_CELL;
        columns->items[column].column = ours;
        columns->has_cpu |= ours == COL_CPU_NS;
        columns->has_waits |= ours == COL_OFFCPU_NS;
    } else if (!metric) {
        metric = add_own(columns, profile, column, recording);
    }
    return metric ? metric->name : NULL;
}

void pprof_columns_make(struct pprof_columns *columns, const struct pprof_profile *profile,
                        struct recording *recording)
{
    int const shown = pprof_column(profile, NULL);
    *columns = (struct pprof_columns){0};
    columns->count = profile->types.count < PPROF_COLUMNS_MAX ? (unsigned)profile->types.count
                                                              : PPROF_COLUMNS_MAX;
    columns->left_out = (unsigned)(profile->types.count - columns->count);
    /* Where there was no room for the one that is to be shown, the last that there was room for. */
    for (unsigned i = 0; i < columns->count; i++) {
        const char *name = add_column(columns, profile, i, recording);
        if (name && (int)i <= shown)
            recording->shown_metric = recording_intern(recording, name);
    }
}
