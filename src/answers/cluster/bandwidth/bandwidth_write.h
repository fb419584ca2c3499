/* bandwidth_write.h - writes the answers of `memoir bandwidth` as text, HTML, CSV, JSON and curves.
 * Write errors stay in `out`, which the caller must check. */
#pragma once

#include <stdio.h>

#include "cluster/bandwidth/bandwidth.h"
#include "report/pictures/svg_out.h"

/* Renders "9.99k", "10.0k", "1.23M": powers of 1000, with two decimals below ten of a unit, else
 * one. */
#define TRAFFIC_NUMBER_MAX 40
const char *traffic_number(double value, char text[TRAFFIC_NUMBER_MAX]);

/* Writes one group, in the words of the original scripts. */
void bandwidth_text_write(const struct bandwidth *bandwidth, const struct node_group *group,
                          const struct bandwidth_sum *sum, FILE *out);
/* Writes the group as a fragment of an HTML page. */
void bandwidth_html_write(const struct bandwidth *bandwidth, const struct node_group *group,
                          const struct bandwidth_sum *sum, FILE *out);
/* Writes what a reader must know to trust the numbers, one sentence per line; nothing if there is
 * nothing to say. */
void bandwidth_notes_write(const struct bandwidth *bandwidth, FILE *out);

/* Writes every interval of a node.  `nick` is the first column; NULL: no such column. */
void bandwidth_report_write(const struct bandwidth *bandwidth, uint32_t node, const char *nick,
                            FILE *out);
void bandwidth_report_head_write(bool has_nick, FILE *out);
/* Writes the increase of each counter of a node in each interval; needs question.all_counters. */
void bandwidth_deltas_write(const struct bandwidth *bandwidth, uint32_t node, FILE *out);

struct bandwidth_answer {
    const struct bandwidth *bandwidth;
    const struct node_groups *groups;
    const struct bandwidth_sum *sums; /* by group */
};
void bandwidth_csv_write(const struct bandwidth_answer *answer, FILE *out);
void bandwidth_json_write(const struct bandwidth_answer *answer, FILE *out);

enum bandwidth_picture { PICTURE_TRAFFIC, PICTURE_POOL, PICTURE_HEAP };
/* Draws a picture.  Returns 0; -ENOMEM; or -ENODATA if the run has no such data. */
int bandwidth_draw(const struct bandwidth_answer *answer, enum bandwidth_picture picture,
                   struct svg_out *out);
/* Returns whether the series is the pool gauge of its node. */
bool bandwidth_is_pool(const struct bandwidth *bandwidth, const struct series *series);
/* Writes time,pool of a node. */
void bandwidth_pool_write(const struct bandwidth *bandwidth, uint32_t node, FILE *out);

/* Renders "2026-11-16 01:40:12", with a fraction if there is one; UTC. */
#define TRAFFIC_TIME_MAX 40
const char *traffic_time(int64_t unix_us, char text[TRAFFIC_TIME_MAX]);
