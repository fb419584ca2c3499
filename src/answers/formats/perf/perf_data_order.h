/* perf_data_order.h - records brought into the order of their times.
 *
 * perf writes one processor's records after another's, and at the end of each round promises
 * that nothing older than the newest of the round before will come.  So what waits is two rounds
 * at most; if a file promises nothing, at most ORDER_BYTES_MAX wait, and what comes too late is
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
    uint8_t *bytes; /* what its body points to; the caller frees it */
};

struct perf_order {                     /* all zero to begin */
    VEC(struct perf_data_waiting) heap; /* the oldest first */
    size_t bytes, bytes_max;            /* bytes_max 0: ORDER_BYTES_MAX */
    uint64_t newest, may_go;            /* times: of all so far; up to which records may be taken */
    uint64_t round_newest;              /* of all, when the last round ended */
    uint64_t number, last;              /* last: time of the record that was taken last */
    uint64_t late;                      /* records older than that */
};

void perf_order_fini(struct perf_order *order);

/* Copies the record.  Returns 0 or -ENOMEM. */
int perf_order_put(struct perf_order *order, uint64_t time, const struct perf_record *record);
void perf_order_end_round(struct perf_order *order);
/* Nothing more will come: all may go. */
void perf_order_end(struct perf_order *order);
/* The oldest record that may go. */
bool perf_order_pop(struct perf_order *order, struct perf_data_waiting *waiting);
