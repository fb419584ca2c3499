/* agreement.h - how nodes agreed on each block: the agreement events of all logs, sorted by
 * time. */
#pragma once

#include <stdio.h>

#include "base/vec.h"
#include "cluster/blocks/node_log.h"
#include "model/string_table.h"
#include "report/text/text_style.h"

#define AGREEMENT_NO_TIME (-1)

struct agreement_event {
    int64_t time_us;
    uint64_t order; /* order of reading, for events of equal time */
    uint32_t node;  /* index into `nodes` */
    string_id type, hash, sender;
    struct log_numbers at, object;
    uint64_t weight, weight_total;
    /* for RoundConcluded: time since the node's last RoundStart, else AGREEMENT_NO_TIME */
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
    uint64_t end_round; /* reading of a log ends at the first event of a later round; 0: never */
    uint64_t others;    /* number of lines that are not agreement events */
    uint64_t timeless;  /* number of events without a time, which are left out */
};

/* Returns 0 or -ENOMEM; agreement_fini is allowed after both. */
int agreement_init(struct agreement *agreement, uint64_t end_round);
void agreement_fini(struct agreement *agreement);
/* Callback for log_reading; `context` is the struct agreement. */
int agreement_handle(void *context, const char *node, const struct log_event *event);
/* Sorts the events by time and computes how long rounds took.  No event can be added afterwards. */
void agreement_sort(struct agreement *agreement);
/* Returns whether events of this type have a meaningful weight. */
bool agreement_has_weight(const char *type);

/* Write the events.  Times of day are UTC.  In text, each node has a colour if the style has
 * colours. */
void agreement_text_write(const struct agreement *agreement, const struct text_style *style,
                          FILE *out);
void agreement_csv_write(const struct agreement *agreement, FILE *out);
int agreement_json_write(const struct agreement *agreement, FILE *out);
