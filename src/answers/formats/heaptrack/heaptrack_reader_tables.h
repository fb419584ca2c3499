/* heaptrack_reader_tables.h - strings, places, traces and infos of a heaptrack file by their
 * numbers, as rows of a recording.
 *
 * A damaged line still has a number, so the numbers of later lines stay right.  Functions return 0,
 * -EINVAL for a damaged line, -E2BIG if the file has more than any program could have recorded, or
 * -ENOMEM. */
#pragma once

#include "formats/shared/heap_ledger.h"
#include "formats/heaptrack/heaptrack_fields.h"
#include "model/recording.h"

#define HEAPTRACK_STRINGS_MAX      ((size_t)1 << 24)
#define HEAPTRACK_STRING_BYTES_MAX ((size_t)1 << 29) /* sum over all strings */
#define HEAPTRACK_PLACES_MAX       ((size_t)1 << 24)
#define HEAPTRACK_TRACES_MAX       ((size_t)1 << 25)
#define HEAPTRACK_INFOS_MAX        ((size_t)1 << 25)
/* no block is larger than the address space */
#define HEAPTRACK_SIZE_MAX (UINT64_C(1) << 47)

struct heaptrack_info_row {
    uint64_t size;
    uint32_t site; /* of the ledger */
    uint32_t live; /* blocks */
};

struct heaptrack_trace_row {
    stack_id stack;
    uint32_t depth; /* frames */
};

struct heaptrack_tables {
    struct recording *recording;
    struct heap_ledger *ledger;
    VEC(string_id) strings;                 /* by number - 1 */
    VEC(uint32_t) modules;                  /* by string: module plus one; 0: none yet */
    VEC(struct heaptrack_trace_row) traces; /* by number - 1 */
    VEC(struct heaptrack_info_row) infos;   /* by number */
    VEC(bool) site_is_cut;                  /* by site: the stack is as deep as heaptrack's limit */
    size_t string_bytes;
};

void heaptrack_tables_fini(struct heaptrack_tables *tables);

int heaptrack_add_string(struct heaptrack_tables *tables, struct slice text);
/* Parses the fields of an `i` line: a place.  Its number minus one is the index of its frame. */
int heaptrack_add_place(struct heaptrack_tables *tables, struct heaptrack_fields *fields);
/* Adds a trace whose innermost frame is a row of the recording; NO_FRAME: a trace equal to its
 * caller's. */
int heaptrack_add_trace(struct heaptrack_tables *tables, uint32_t frame, uint64_t caller);
#define HEAPTRACK_NO_FRAME UINT32_MAX
/* Parses the fields of an interpreted `t` line. */
int heaptrack_add_named_trace(struct heaptrack_tables *tables, struct heaptrack_fields *fields);
/* Parses the fields of an `a` line. */
int heaptrack_add_info(struct heaptrack_tables *tables, struct heaptrack_fields *fields);

/* Finds the site of a trace, which may be 0.  For -EINVAL, *site is the site without a trace. */
int heaptrack_site(struct heaptrack_tables *tables, uint64_t trace, uint32_t *site);
