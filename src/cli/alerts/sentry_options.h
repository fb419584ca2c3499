/* sentry_options.h - options about alerts, their actions, and the history. */
#pragma once

#include "analyze/alerts/alert_rule.h"
#include "base/pattern/pattern.h"
#include "cli/shared/options.h"

#define SENTRY_ALERTS_MAX 16

struct sentry_options {
    struct alert_rule rules[SENTRY_ALERTS_MAX];
    struct pattern *sites[SENTRY_ALERTS_MAX]; /* NULL for a rule without a site */
    unsigned rule_count;
    const char *exec;         /* program to run when one fires, or NULL */
    char *webhook;            /* URL to post to, or NULL */
    bool webhook_is_seen;     /* the URL was an argument, so ps shows it, and it may be a secret */
    const char *history;      /* database, or NULL */
    const char *history_name; /* name of the service; NULL: the program's */
    uint64_t history_every_ns;
};

/* Options that fill a struct sentry_options. */
extern const struct option_rule sentry_rules[];

void sentry_options_init(struct sentry_options *options);
void sentry_options_fini(struct sentry_options *options);
/* Checks that no option lacks another one that it needs.  Returns 0 or -EINVAL with a sentence. */
int sentry_options_check(const struct sentry_options *options, struct fault *fault);
