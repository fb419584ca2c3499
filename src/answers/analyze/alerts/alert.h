/* alert.h - an alert over time: it fires once when its condition has held long enough, and again
 * only after the value has gone back to 95 % of the threshold or below.
 *
 * Pure: the caller brings the values and the time. */
#pragma once

#include "analyze/alerts/alert_rule.h"

#define ALERT_REARM_SHARE 0.95

struct alert { /* zero all but `rule` to begin */
    const struct alert_rule *rule;
    uint64_t since_ns; /* the condition holds since, while it does */
    bool holds, is_spent;
    uint32_t fired; /* how often so far */
};

/* What the alert compares now.  false when it cannot be known now: nothing changes then. */
struct alert_reading {
    bool is_known;
    double value;     /* in the unit of the rule's threshold */
    double threshold; /* in that unit: bytes where the rule has a share of a limit */
};

/* Whether it fires at this instant. */
bool alert_look(struct alert *alert, const struct alert_reading *reading, uint64_t time_ns);
