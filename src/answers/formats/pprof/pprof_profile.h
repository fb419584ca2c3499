/* pprof_profile.h - one profile of pprof in memory, as its file has it: profile.proto, or one of
 * the older text forms.
 *
 * Everything that names something by a number is resolved and in range: strings, mappings,
 * locations, functions.  Texts are slices of the unpacked file, which the profile owns.  Nothing
 * here allocates after reading; any thread may read it. */
#pragma once

#include <stdint.h>

#include "base/fault.h"
#include "base/slice.h"
#include "base/vec.h"

#define PPROF_BYTES_MAX ((size_t)512 << 20) /* unpacked */
#define PPROF_ITEMS_MAX ((size_t)1 << 24)   /* of each table; larger files are refused */

struct pprof_value_type {
    uint32_t type, unit; /* strings: "inuse_space", "bytes" */
};

/* The innermost location first.  Its values are those of pprof_value(). */
struct pprof_sample {
    uint32_t first_location, location_count; /* in `stacks` */
    uint32_t first_label, label_count;
};

struct pprof_label {
    uint32_t key, text, unit; /* text 0: a number */
    int64_t number;
};

struct pprof_line {
    uint64_t function; /* index plus one; 0: none */
    int64_t line;
};

/* Several lines: inlined functions, innermost first; none: not symbolised. */
struct pprof_location {
    uint64_t id, address;
    uint64_t mapping; /* index plus one; 0: none */
    uint32_t first_line, line_count;
};

struct pprof_function {
    uint64_t id;
    uint32_t name, system_name, file;
};

struct pprof_mapping {
    uint64_t id, start, limit, offset;
    uint32_t file, build_id;
};

/* How a file was written, where it matters for what it means. */
enum pprof_form {
    PPROF_PROTO,
    PPROF_TEXT_HEAP,       /* Go's debug=1, tcmalloc, gperftools */
    PPROF_TEXT_JEMALLOC,   /* heap_v2/… alone */
    PPROF_TEXT_COUNT,      /* goroutine, threadcreate */
    PPROF_TEXT_CONTENTION, /* contention, mutex */
    PPROF_BINARY_CPU,      /* gperftools */
};

struct pprof_profile {
    enum pprof_form form;
    VEC(struct pprof_value_type) types; /* columns */
    VEC(struct pprof_sample) samples;
    VEC(int64_t) values;  /* of all samples, column by column */
    VEC(uint32_t) stacks; /* indexes of locations */
    VEC(struct pprof_label) labels;
    VEC(struct pprof_location) locations;
    VEC(struct pprof_line) lines;
    VEC(struct pprof_function) functions;
    VEC(struct pprof_mapping) mappings;
    VEC(struct slice) strings; /* the first is empty */
    VEC(uint32_t) comments;
    uint32_t drop_frames, keep_frames; /* regular expressions; 0: none */
    int64_t time_ns, duration_ns;      /* Unix time; 0: not told */
    struct pprof_value_type period_type;
    int64_t period;
    uint32_t default_type; /* name of the column to show; 0: the last */
    uint64_t odd_lines;    /* of text forms, that make no sense and were left out */
    /* of text forms: the total of their first lines, and what the others add up to if that
     * is less */
    uint64_t told, came;
    bool lacks_break; /* of text forms: the last line has no end */
    char *bytes;      /* unpacked; texts point into it */
    size_t size;
};

/* Reads a whole file: gzip of one or several members, gzip in gzip, or plain.  NULL with a
 * sentence: cut short, damaged, two profiles in one, too large. The sentence begins like "its
 * gzip data …" and does not name the file. */
struct pprof_profile *pprof_read_bytes(const void *data, size_t size, struct fault *fault);
/* Like pprof_read_bytes, from an open descriptor, which stays open, or from a path: "cannot read
 * PATH: …". */
struct pprof_profile *pprof_read_fd(int fd, struct fault *fault);
struct pprof_profile *pprof_read_file(const char *path, struct fault *fault);
void pprof_destroy(struct pprof_profile *profile); /* NULL is allowed */

static inline struct slice pprof_text(const struct pprof_profile *profile, uint32_t string)
{
    return profile->strings.items[string];
}

static inline int64_t pprof_value(const struct pprof_profile *profile, size_t sample,
                                  unsigned column)
{
    return profile->values.items[sample * profile->types.count + column];
}

/* The column of a name: exactly so, or without "inuse_" in front, or by its number from 0.
 * NULL: the one the file wants to be shown.  -ENOENT. */
int pprof_column(const struct pprof_profile *profile, const char *wanted);
/* The sum of |value| of a column, exact; of a difference (label pprof::base) that of its base
 * alone.  INT64_MAX if it is more than that. */
int64_t pprof_total(const struct pprof_profile *profile, unsigned column);
