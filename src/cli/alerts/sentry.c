/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/alerts/sentry.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/alerts/sentry_parts.h"
#include "cli/alerts/top_sites.h"

static bool make_growth(struct process_watch *process, const struct sentry_options *options)
{
    for (unsigned i = 0; i < options->rule_count; i++) {
        const struct alert_rule *rule = &options->rules[i];
        if (rule->kind != ALERT_GROWTH || process->growth[rule->level])
            continue;
        process->has_growth = true;
        process->growth[rule->level] = calloc(1, sizeof(struct growth_watch));
        if (!process->growth[rule->level])
            return false;
    }
    return true;
}

static bool make_pressure(struct process_watch *process, const struct sentry_options *options,
                          uint32_t pid)
{
    for (unsigned i = 0; i < options->rule_count; i++) {
        if (options->rules[i].kind != ALERT_PRESSURE)
            continue;
        process->pressure[i] =
            pressure_watch_create(process->sentry->alerts, &options->rules[i], i, pid);
        if (!process->pressure[i])
            return false;
    }
    return true;
}

static void end(void *state)
{
    struct process_watch *process = state;
    if (!process)
        return;
    process_watch_fini(process);
    free(process);
}

static void *begin(void *self, const struct watch_view *view)
{
    struct sentry *sentry = self;
    struct process_watch *process = calloc(1, sizeof(*process));
    if (!process)
        return NULL;
    process->sentry = sentry;
    for (unsigned i = 0; i < sentry->options->rule_count; i++)
        process->alerts[i].rule = &sentry->options->rules[i];
    if (make_growth(process, sentry->options) && make_pressure(process, sentry->options, view->pid))
        return process;
    end(process);
    return NULL;
}

static bool has_news(void *state)
{
    struct process_watch *process = state;
    bool found = false;
    for (unsigned i = 0; process && i < process->sentry->options->rule_count; i++)
        found |= pressure_watch_has_news(process->pressure[i]);
    return found;
}

static void look(void *state, const struct watch_view *view)
{
    struct process_watch *process = state;
    if (!process)
        return;
    struct sentry *sentry = process->sentry;
    for (unsigned i = 0; i < sentry->options->rule_count; i++) {
        struct alert_reading const reading = sentry_read(process, i, view);
        if (!alert_look(&process->alerts[i], &reading, view->time_ns))
            continue;
        sentry->fired++;
        sentry_tell(process, i, &reading, view);
    }
    if (process->has_growth)
        top_sites_remember(view, &process->pictures);
    sentry_keep(process, view);
}

/* As the recorder chooses it. */
static void set_bounds(struct sentry *sentry, const char *output)
{
    const char *slash = output ? strrchr(output, '/') : NULL;
    if (slash)
        snprintf(sentry->folder, sizeof(sentry->folder), "%.*s", (int)(slash - output), output);
    sentry->bounds = (struct alert_bounds){sentry->options, output, sentry->folder};
}

static int begin_processes(struct sentry *sentry, struct fault *fault)
{
    const struct sentry_options *options = sentry->options;
    if (options->history && !(sentry->history = history_writer_begin(options->history, fault)))
        return -EIO;
    if (options->rule_count && !(sentry->alerts = alert_broker_begin(&sentry->bounds, fault))) {
        if (sentry->history)
            (void)history_writer_end(sentry->history);
        return -EIO;
    }
    return 0;
}

struct sentry *sentry_create(const struct sentry_options *options, const char *output,
                             struct fault *fault)
{
    struct sentry *sentry = calloc(1, sizeof(*sentry));
    if (!sentry) {
        fault_set(fault, -ENOMEM, "out of memory before the start");
        return NULL;
    }
    sentry->options = options;
    set_bounds(sentry, output);
    if (options->webhook_is_seen)
        fprintf(stderr, "memoir: warning: ps shows the address after --alert-webhook to all users "
                        "of this machine; if it is a secret, use --alert-webhook-file\n");
    if (begin_processes(sentry, fault) < 0) {
        free(sentry);
        return NULL;
    }
    sentry->watcher = (struct watcher){sentry, begin, look, has_news, end};
    return sentry;
}

const struct watcher *sentry_watcher(struct sentry *sentry)
{
    bool const is_needed = sentry->options->rule_count > 0 || sentry->options->history;
    return is_needed ? &sentry->watcher : NULL;
}

uint32_t sentry_finish(struct sentry *sentry)
{
    uint32_t const fired = sentry->fired;
    uint64_t const left_out = sentry->history ? history_writer_end(sentry->history) : 0;
    if (left_out > 0)
        fprintf(stderr, "memoir: %llu snapshots are missing in the history %s\n",
                (unsigned long long)left_out, sentry->options->history);
    if (sentry->alerts)
        alert_broker_end(sentry->alerts);
    free(sentry);
    return fired;
}
