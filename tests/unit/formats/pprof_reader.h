/* pprof_reader.h - just enough of a profile.proto decoder to read back what was written.  Fails the
 * test where the bytes are no valid profile. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#define PPROF_MAX    64
#define PPROF_VALUES 8

struct pprof_line {
    uint64_t function, line;
};
struct pprof_place {
    uint64_t id, mapping, address;
    struct pprof_line lines[8];
    size_t line_count;
};
struct pprof_function {
    uint64_t id, name, system_name, file;
};
struct pprof_mapping {
    uint64_t id, start, limit, file, build_id, flags[4];
};
struct pprof_sample {
    uint64_t places[PPROF_MAX];
    size_t place_count;
    int64_t values[PPROF_VALUES];
    size_t value_count;
    uint64_t label; /* the text of the last one */
};
struct pprof_type {
    uint64_t type, unit;
};

struct pprof_reading {
    struct pprof_type types[PPROF_VALUES], period_type;
    struct pprof_sample samples[PPROF_MAX];
    struct pprof_mapping mappings[PPROF_MAX];
    struct pprof_place places[PPROF_MAX];
    struct pprof_function functions[PPROF_MAX];
    char *strings[4 * PPROF_MAX];
    size_t type_count, sample_count, mapping_count, place_count, function_count, string_count;
    uint64_t time_nanos, duration_nanos, period, default_type, comments[4];
    size_t comment_count;
};

/* `data` is gzip.  The caller frees with pprof_reading_free. */
struct pprof_reading *pprof_read(const void *data, size_t size);
void pprof_reading_free(struct pprof_reading *reading);

/* The sample whose functions, outermost first, joined by ';', are `path`; NULL when none. */
const struct pprof_sample *pprof_find(const struct pprof_reading *reading, const char *path);
