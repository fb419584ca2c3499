/* watch_options.h - what is watched beside a recording: alerts and what they do, and the history. */
#pragma once

#include <regex.h>

#include "analyze/alert_rule.h"
#include "cli/options.h"

#define WATCH_ALERTS_MAX 16

struct watch_options {
    struct alert_rule rules[WATCH_ALERTS_MAX];
    regex_t sites[WATCH_ALERTS_MAX]; /* compiled where the rule has a site */
    unsigned rule_count;
    const char *exec;         /* program to run when one fires, or NULL */
    const char *webhook;      /* URL to post to, or NULL */
    const char *history;      /* database, or NULL */
    const char *history_name; /* of the service; NULL: the program's */
    uint64_t history_every_ns;
};

/* Into a struct watch_options. */
extern const struct option_rule watch_rules[];

void watch_options_init(struct watch_options *options);
void watch_options_fini(struct watch_options *options);
/* What belongs together is there.  0, or -EINVAL with a sentence. */
int watch_options_check(const struct watch_options *options, struct fault *fault);
