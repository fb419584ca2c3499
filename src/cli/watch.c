/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/watch.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "cli/watch_parts.h"

#define FINISH_MS 12000 /* for messages on their way when the program has ended */

static bool make_growth(struct process_watch *process, const struct watch_options *options)
{
    for (unsigned i = 0; i < options->rule_count; i++) {
        const struct alert_rule *rule = &options->rules[i];
        if (rule->kind != ALERT_GROWTH || process->growth[rule->level])
            continue;
        process->growth[rule->level] = calloc(1, sizeof(struct growth_watch));
        if (!process->growth[rule->level])
            return false;
    }
    return true;
}

static bool make_pressure(struct process_watch *process, const struct watch_options *options,
                          uint32_t pid)
{
    for (unsigned i = 0; i < options->rule_count; i++) {
        if (options->rules[i].kind != ALERT_PRESSURE)
            continue;
        process->pressure[i] = pressure_watch_create(&options->rules[i], pid);
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
    struct watch *watch = self;
    struct process_watch *process = calloc(1, sizeof(*process));
    if (!process)
        return NULL;
    process->watch = watch;
    for (unsigned i = 0; i < watch->options->rule_count; i++)
        process->alerts[i].rule = &watch->options->rules[i];
    if (make_growth(process, watch->options) && make_pressure(process, watch->options, view->pid))
        return process;
    end(process);
    return NULL;
}

static bool has_news(void *state)
{
    struct process_watch *process = state;
    bool found = false;
    for (unsigned i = 0; process && i < process->watch->options->rule_count; i++)
        found |= pressure_watch_has_news(process->pressure[i]);
    return found;
}

static void look(void *state, const struct watch_view *view)
{
    struct process_watch *process = state;
    if (!process)
        return;
    struct watch *watch = process->watch;
    for (unsigned i = 0; i < watch->options->rule_count; i++) {
        struct alert_reading const reading = watch_read(process, i, view);
        if (!alert_look(&process->alerts[i], &reading, view->time_ns))
            continue;
        watch->fired++;
        watch_tell(process, i, &reading, view);
    }
    alert_actions_look(watch->actions);
    watch_keep(process, view);
}

static int open_history(struct watch *watch, struct fault *fault)
{
    watch->history = history_queue_create(watch->options->history, fault);
    return watch->history ? 0 : fault->code;
}

struct watch *watch_create(const struct watch_options *options, struct fault *fault)
{
    struct watch *watch = calloc(1, sizeof(*watch));
    if (watch)
        watch->actions = alert_actions_create(options->exec, options->webhook);
    if (!watch || !watch->actions) {
        free(watch);
        fault_set(fault, -ENOMEM, "out of memory before the start");
        return NULL;
    }
    watch->options = options;
    if (options->history && open_history(watch, fault) < 0) {
        alert_actions_finish(watch->actions, 0);
        free(watch);
        return NULL;
    }
    watch->watcher = (struct watcher){watch, begin, look, has_news, end};
    return watch;
}

const struct watcher *watch_watcher(struct watch *watch)
{
    bool const is_needed = watch->options->rule_count > 0 || watch->options->history;
    return is_needed ? &watch->watcher : NULL;
}

uint32_t watch_finish(struct watch *watch)
{
    uint32_t const fired = watch->fired;
    uint64_t const left_out = watch->history ? history_queue_finish(watch->history) : 0;
    if (left_out > 0)
        fprintf(stderr, "memoir: %llu snapshots are missing in the history %s\n",
                (unsigned long long)left_out, watch->options->history);
    alert_actions_finish(watch->actions, FINISH_MS);
    free(watch);
    return fired;
}
