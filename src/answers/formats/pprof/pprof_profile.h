/* pprof_profile.h - one profile of pprof in memory, as in its file: profile.proto, or one of the
 * older text forms.
 *
 * All ids of strings, mappings, locations and functions have been replaced by valid indices.  Texts
 * are slices of the unpacked file, which the profile owns.  After reading, nothing here allocates
 * memory, and any thread may read the profile. */
#pragma once

#include <stdint.h>

#include "base/fault.h"
#include "base/slice.h"
#include "base/vec.h"

#define PPROF_BYTES_MAX ((size_t)512 << 20) /* unpacked */
#define PPROF_ITEMS_MAX ((size_t)1 << 24)   /* limit of each table; larger files are refused */

struct pprof_value_type {
    uint32_t type, unit; /* strings: "inuse_space", "bytes" */
};

/* A sample; the innermost location is first.  pprof_value() returns its values. */
struct pprof_sample {
    uint32_t first_location, location_count; /* range of `stacks` */
    uint32_t first_label, label_count;
};

struct pprof_label {
    uint32_t key, text, unit; /* text 0: the label is `number` */
    int64_t number;
};

struct pprof_line {
    uint64_t function; /* index plus one; 0: none */
    int64_t line;
};

/* A location.  Several lines are inlined functions, innermost first; without lines, it has no
 * symbols. */
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

/* The form of the file, where it affects the meaning. */
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
    VEC(struct pprof_value_type) types; /* one per column */
    VEC(struct pprof_sample) samples;
    VEC(int64_t) values;  /* of all samples; the columns of a sample are adjacent */
    VEC(uint32_t) stacks; /* indices of locations */
    VEC(struct pprof_label) labels;
    VEC(struct pprof_location) locations;
    VEC(struct pprof_line) lines;
    VEC(struct pprof_function) functions;
    VEC(struct pprof_mapping) mappings;
    VEC(struct slice) strings; /* the first is the empty string */
    VEC(uint32_t) comments;
    uint32_t drop_frames, keep_frames; /* regular expressions; 0: none */
    int64_t time_ns, duration_ns;      /* time_ns is Unix time; 0: not known */
    struct pprof_value_type period_type;
    int64_t period;
    uint32_t default_type; /* name of the column to show first; 0: the last column */
    uint64_t odd_lines;    /* text forms: lines that were not understood and left out */
    /* text forms: the total that the first lines announce, and the sum of the other lines if that
     * is less */
    uint64_t told, came;
    bool lacks_break; /* text forms: the last line has no line break */
    char *bytes;      /* the unpacked file; texts point into it */
    size_t size;
};

/* Reads a whole file: gzip with one or several members, gzip in gzip, or plain.  Returns NULL with
 * a sentence if the file is cut off, damaged, too large, or has two profiles.  The sentence begins
 * like "its gzip data …" and does not name the file. */
struct pprof_profile *pprof_read_bytes(const void *data, size_t size, struct fault *fault);
/* Like pprof_read_bytes, from an open descriptor, which stays open; or from a path, where the
 * sentence is "cannot read PATH: …". */
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

/* Returns the index of the column with this name, which may be without "inuse_", or a number from
 * 0.  NULL: the column that the file wants to be shown first.  -ENOENT: there is no such column. */
int pprof_column(const struct pprof_profile *profile, const char *wanted);
/* Returns the exact sum of |value| of a column; for a difference (label pprof::base), only of its
 * base.  INT64_MAX if the sum is larger. */
int64_t pprof_total(const struct pprof_profile *profile, unsigned column);
