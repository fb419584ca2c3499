/* pprof_sources.h - which columns a profile.proto of a recording gets. */
#pragma once

#include "formats/shared/registry.h"

#define PPROF_SOURCES_MAX (5 + OWN_METRICS_MAX)
#define PPROF_NAME_MAX    64

/* One metric and the columns it fills: its count, if it has any, then its value. */
struct pprof_source {
    const struct metric *metric;
    char count_type[PPROF_NAME_MAX]; /* "": no such column */
    const char *value_type, *value_unit;
    struct weights weights;
};

struct pprof_sources {
    struct pprof_source items[PPROF_SOURCES_MAX];
    size_t count;
    struct time_range used;
    const char *shown_first; /* a column; NULL: the last one */
    bool hides_allocator;    /* the allocator's own frames tell nothing in any of them */
    bool is_whole; /* all that a file of another program has: its labels belong there, too */
};

/* All that there is, or what the job asks for if that is none of it.  Returns 0 or -errno with a
 * sentence; pprof_sources_fini ends it either way. */
int pprof_sources_choose(struct pprof_sources *sources, struct export_job *job,
                         struct fault *fault);
void pprof_sources_fini(struct pprof_sources *sources);

/* Returns the values of a sample, column by column; how many. */
size_t pprof_sources_values(const struct pprof_sources *sources, const struct weight *rows,
                            uint64_t *values);
