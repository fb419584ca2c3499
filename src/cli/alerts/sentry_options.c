/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/alerts/sentry_options.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/human.h"

#define SECOND_NS     UINT64_C(1000000000)
#define EVERY_DEFAULT (10 * SECOND_NS)
#define NAME_MAX_SIZE 200

static int take_alert(void *into, const char *argument, struct fault *fault)
{
    struct sentry_options *options = into;
    struct alert_rule *rule = &options->rules[options->rule_count];
    if (options->rule_count == SENTRY_ALERTS_MAX)
        return fault_set(fault, -EINVAL, "there can be %d alerts at most", SENTRY_ALERTS_MAX);
    int err = alert_rule_parse(argument, rule, fault);
    if (!err && rule->site[0])
        err = pattern_compile(rule->site, PATTERN_ANYWHERE, "the site of --alert",
                              &options->sites[options->rule_count], fault);
    options->rule_count += !err;
    return err;
}

static int take_exec(void *into, const char *argument, struct fault *fault)
{
    if (strchr(argument, '/') && access(argument, X_OK) < 0)
        return fault_set(fault, -EINVAL, "--alert-exec %s cannot be run: %s", argument,
                         strerror(errno));
    ((struct sentry_options *)into)->exec = argument;
    return 0;
}

static int take_webhook(void *into, const char *argument, struct fault *fault)
{
    if (strncmp(argument, "http://", 7) != 0 && strncmp(argument, "https://", 8) != 0)
        return fault_set(fault, -EINVAL,
                         "--alert-webhook %s is no address: it begins with http:// or https://",
                         argument);
    ((struct sentry_options *)into)->webhook = argument;
    return 0;
}

static int take_every(void *into, const char *argument, struct fault *fault)
{
    struct sentry_options *options = into;
    if (human_parse_duration(argument, &options->history_every_ns) < 0 ||
        options->history_every_ns < SECOND_NS || options->history_every_ns > 86400 * SECOND_NS)
        return fault_set(fault, -EINVAL,
                         "--history-every cannot be \"%s\": it is a time from 1s to 1d", argument);
    return 0;
}

static int take_name(void *into, const char *argument, struct fault *fault)
{
    if (argument[0] == '\0' || strlen(argument) > NAME_MAX_SIZE)
        return fault_set(fault, -EINVAL, "--history-name needs a name of 1 to %d letters",
                         NAME_MAX_SIZE);
    ((struct sentry_options *)into)->history_name = argument;
    return 0;
}

const struct option_rule sentry_rules[] = {
    {"--alert", "RULE",
     "tell when rss>2G, rss>90%, growth>5%/h, heap.live{site=~\"cache\"}>1G, psi>10%, ...",
     .take = take_alert},
    {"--alert-exec", "PROGRAM", "run it when an alert fires; no shell, one at a time",
     .take = take_exec},
    {"--alert-webhook", "URL", "post it as JSON", .take = take_webhook},
    {"--history", "DB", "add a row set to this history every 10 s; see memoir history",
     OPTION_TEXT(struct sentry_options, history)},
    {"--history-every", "TIME", "another distance than 10s", .take = take_every},
    {"--history-name", "NAME", "of the service in it; the program's own unless given",
     .take = take_name},
    {.name = NULL}};

void sentry_options_init(struct sentry_options *options)
{
    memset(options, 0, sizeof(*options));
    options->history_every_ns = EVERY_DEFAULT;
}

void sentry_options_fini(struct sentry_options *options)
{
    for (unsigned i = 0; i < options->rule_count; i++) {
        pattern_destroy(options->sites[i]);
        options->sites[i] = NULL;
    }
    options->rule_count = 0;
}

int sentry_options_check(const struct sentry_options *options, struct fault *fault)
{
    if ((options->exec || options->webhook) && options->rule_count == 0)
        return fault_set(fault, -EINVAL,
                         "%s without an alert does nothing: give --alert 'rss>2G' or the like",
                         options->exec ? "--alert-exec" : "--alert-webhook");
    if (options->history_name && !options->history)
        return fault_set(fault, -EINVAL, "--history-name needs --history DB");
    return 0;
}
