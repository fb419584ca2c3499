/* perf_data_order.h - sorts records by time.
 *
 * perf writes the records of one CPU after those of another.  The end of a round promises that
 * nothing older than the newest record of the round before will follow, so at most two rounds wait
 * here.  Without such promises, at most ORDER_BYTES_MAX wait, and records that are too late are
 * counted. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "base/vec.h"
#include "formats/perf/perf_data_format.h"

#define ORDER_BYTES_MAX ((size_t)192 << 20)

struct perf_data_waiting {
    uint64_t time, number;
    struct perf_record record;
    uint8_t *bytes; /* record.body points to it; the caller frees it */
};

struct perf_order {                     /* all zero to begin */
    VEC(struct perf_data_waiting) heap; /* heap with the oldest record first */
    size_t bytes, bytes_max;            /* bytes_max 0: ORDER_BYTES_MAX */
    /* times: of the newest record so far; up to which records may be taken */
    uint64_t newest, may_go;
    uint64_t round_newest; /* `newest` at the end of the last round */
    uint64_t number, last; /* last: time of the last record taken */
    uint64_t late;         /* number of records older than `last` */
};

void perf_order_fini(struct perf_order *order);

/* Adds a copy of the record.  Returns 0 or -ENOMEM. */
int perf_order_put(struct perf_order *order, uint64_t time, const struct perf_record *record);
void perf_order_end_round(struct perf_order *order);
/* Says that no record will follow, so all records may be taken. */
void perf_order_end(struct perf_order *order);
/* Takes the oldest record, if it may be taken.  Returns whether there was one. */
bool perf_order_pop(struct perf_order *order, struct perf_data_waiting *waiting);
