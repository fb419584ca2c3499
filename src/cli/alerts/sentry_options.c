/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/alerts/sentry_options.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/text_file.h"

#define EVERY_DEFAULT    (10 * NS_PER_SECOND)
#define NAME_MAX_SIZE    200
#define WEBHOOK_FILE_MAX 4096

static int parse_alert(void *into, const char *name, const char *value, struct fault *fault)
{
    struct sentry_options *options = into;
    struct alert_rule *rule = &options->rules[options->rule_count];
    if (options->rule_count == SENTRY_ALERTS_MAX)
        return fault_set(fault, -EINVAL, "there can be %d alerts at most", SENTRY_ALERTS_MAX);
    (void)name;
    int err = alert_rule_parse(value, rule, fault);
    if (!err && rule->site[0])
        err = pattern_compile(rule->site, PATTERN_ANYWHERE, "the site of --alert",
                              &options->sites[options->rule_count], fault);
    options->rule_count += !err;
    return err;
}

static int handle_exec(void *into, const char *name, const char *value, struct fault *fault)
{
    if (strchr(value, '/') && access(value, X_OK) < 0)
        return fault_set(fault, -EINVAL, "%s %s cannot be run: %s", name, value, strerror(errno));
    ((struct sentry_options *)into)->exec = value;
    return 0;
}

static int keep_webhook(struct sentry_options *options, const char *name, const char *url,
                        size_t size, struct fault *fault)
{
    if (strncmp(url, "http://", 7) != 0 && strncmp(url, "https://", 8) != 0)
        return fault_set(fault, -EINVAL, "%s needs an address that begins with http:// or https://",
                         name);
    free(options->webhook);
    options->webhook = strndup(url, size);
    return options->webhook ? 0 : fault_set(fault, -ENOMEM, "out of memory");
}

/* Whether there is more in it than a server, such as a path that only friends know. */
static bool may_be_secret(const char *url)
{
    const char *server = strstr(url, "://");
    return server && (strpbrk(server + 3, "@?") || server[3 + strcspn(server + 3, "/")]);
}

static int handle_webhook(void *into, const char *name, const char *value, struct fault *fault)
{
    struct sentry_options *options = into;
    options->webhook_is_seen = may_be_secret(value);
    return keep_webhook(options, name, value, strlen(value), fault);
}

static int handle_webhook_file(void *into, const char *name, const char *value, struct fault *fault)
{
    struct slice text;
    int err = text_file_read(value, WEBHOOK_FILE_MAX, &text, fault);
    if (err)
        return err;
    char line[WEBHOOK_FILE_MAX + 1];
    snprintf(line, sizeof(line), "%.*s", (int)text.size, text.data);
    text_file_free(text);
    err = keep_webhook(into, name, line, strcspn(line, " \t\r\n"), fault);
    explicit_bzero(line, sizeof(line));
    ((struct sentry_options *)into)->webhook_is_seen = false;
    return err;
}

static int handle_name(void *into, const char *name, const char *value, struct fault *fault)
{
    if (value[0] == '\0' || strlen(value) > NAME_MAX_SIZE)
        return fault_set(fault, -EINVAL, "%s needs a name of 1 to %d letters", name, NAME_MAX_SIZE);
    ((struct sentry_options *)into)->history_name = value;
    return 0;
}

const struct option_rule sentry_rules[] = {
    {"--alert", "RULE",
     "alert when rss>2G, rss>90%, growth>5%/h, heap.live{site=~\"cache\"}>1G, psi>10%, ...",
     OPTION_CALLBACK(parse_alert)},
    {"--alert-exec", "PROGRAM", "run PROGRAM when an alert fires; no shell, one at a time",
     OPTION_CALLBACK(handle_exec)},
    {"--alert-webhook", "URL", "post alerts to URL as JSON; ps shows URL to all users",
     OPTION_CALLBACK(handle_webhook)},
    {"--alert-webhook-file", "FILE", "like --alert-webhook, with the URL in the first line of FILE",
     OPTION_CALLBACK(handle_webhook_file)},
    {"--history", "DB", "add numbers to this history every 10s; see memoir history",
     OPTION_TEXT(struct sentry_options, history)},
    {"--history-every", "TIME", "how often to add to the history (10s)",
     OPTION_DURATION(struct sentry_options, history_every_ns, NS_PER_SECOND,
                     86400 * NS_PER_SECOND)},
    {"--history-name", "NAME", "name of the service in the history (name of the program)",
     OPTION_CALLBACK(handle_name)},
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
    free(options->webhook);
    options->webhook = NULL;
}

int sentry_options_check(const struct sentry_options *options, struct fault *fault)
{
    if ((options->exec || options->webhook) && options->rule_count == 0)
        return fault_set(fault, -EINVAL, "%s needs an alert: add --alert 'rss>2G', for example",
                         options->exec ? "--alert-exec" : "--alert-webhook");
    if (options->history_name && !options->history)
        return fault_set(fault, -EINVAL, "--history-name needs --history DB");
    return 0;
}
