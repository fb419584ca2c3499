/* sentry_options.h - what is watched beside a recording: alerts and what they do, and the
 * history. */
#pragma once

#include "analyze/alerts/alert_rule.h"
#include "base/pattern/pattern.h"
#include "cli/shared/options.h"

#define SENTRY_ALERTS_MAX 16

struct sentry_options {
    struct alert_rule rules[SENTRY_ALERTS_MAX];
    struct pattern *sites[SENTRY_ALERTS_MAX]; /* where the rule has a site; else NULL */
    unsigned rule_count;
    const char *exec;         /* program to run when one fires, or NULL */
    char *webhook;            /* URL to post to, or NULL */
    bool webhook_is_seen;     /* by ps, and it may be a secret */
    const char *history;      /* database, or NULL */
    const char *history_name; /* of the service; NULL: the program's */
    uint64_t history_every_ns;
};

/* Into a struct sentry_options. */
extern const struct option_rule sentry_rules[];

void sentry_options_init(struct sentry_options *options);
void sentry_options_fini(struct sentry_options *options);
/* What belongs together is there.  0, or -EINVAL with a sentence. */
int sentry_options_check(const struct sentry_options *options, struct fault *fault);
