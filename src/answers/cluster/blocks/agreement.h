/* agreement.h - how nodes came to agree on each block: the agreement events of all their logs,
 * in order of time. */
#pragma once

#include <stdio.h>

#include "base/vec.h"
#include "cluster/blocks/node_log.h"
#include "model/string_table.h"
#include "report/text/text_style.h"

#define AGREEMENT_NO_TIME (-1)

struct agreement_event {
    int64_t time_us;
    uint64_t order; /* as read: among equal times */
    uint32_t node;  /* of `nodes` */
    string_id type, hash, sender;
    struct log_numbers at, object;
    uint64_t weight, weight_total;
    /* of a RoundConcluded: since the node's last RoundStart, else AGREEMENT_NO_TIME */
    int64_t round_us;
};

struct agreement_node {
    char *name;
    int64_t round_start_us; /* AGREEMENT_NO_TIME: not seen */
};

struct agreement {
    struct string_table *texts;
    VEC(struct agreement_node) nodes;
    VEC(struct agreement_event) events;
    uint64_t end_round; /* a log is left at the first event of a later one; 0: never */
    uint64_t others;    /* lines that are no event of agreement */
    uint64_t timeless;  /* events without a time, left out */
};

/* Returns 0 or -ENOMEM; fini is allowed after both. */
int agreement_init(struct agreement *agreement, uint64_t end_round);
void agreement_fini(struct agreement *agreement);
/* For log_reading: `context` is the agreement. */
int agreement_handle(void *context, const char *node, const struct log_event *event);
/* Puts the events in order of time and computes how long rounds took.  After it, no more are
 * taken. */
void agreement_sort(struct agreement *agreement);
/* Returns whether a weight says something about an event of this type. */
bool agreement_has_weight(const char *type);

/* Times of day are UTC.  A colour for each node where the style has colours. */
void agreement_text_write(const struct agreement *agreement, const struct text_style *style,
                          FILE *out);
void agreement_csv_write(const struct agreement *agreement, FILE *out);
int agreement_json_write(const struct agreement *agreement, FILE *out);
