/* alert_rule.h - the condition of an alert, as a person writes it:
 *
 *     rss>2G    heap.live{site=~"cache"}>1G    rss>90%    growth>5%/h
 *               growth{of="heap.live"}>10M/h    psi>10%
 *     ... for 30s
 *
 * A level of memory over a number of bytes (or blocks), or over a share of the limit; growth
 * over bytes or a share of itself per s, min, h or day, when the growth verdict says that it
 * grows; pressure (PSI) over a share of the time. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "base/fault.h"
#include "model/memory/memory_level.h"

#define ALERT_TEXT_MAX 256 /* of a rule, with its final NUL */

enum alert_kind { ALERT_LEVEL, ALERT_GROWTH, ALERT_PRESSURE };

struct alert_rule {
    char text[ALERT_TEXT_MAX]; /* as written, without spaces around it */
    enum alert_kind kind;
    enum memory_level level;   /* of ALERT_LEVEL, and whose growth it is */
    char site[ALERT_TEXT_MAX]; /* an expression that a frame must match, or empty: all stacks */
    bool is_share;    /* `threshold` is a share: of the limit, of the memory, of the time */
    double threshold; /* bytes, blocks, or from 0 to 1; growth: per second */
    uint64_t for_ns;  /* it must hold so long */
};

/* 0, or -EINVAL with a sentence that says what is wrong and what would be right. */
int alert_rule_parse(const char *text, struct alert_rule *rule, struct fault *fault);
