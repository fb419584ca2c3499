/* SPDX-License-Identifier: Apache-2.0 */
/* sentry_history.c - measures a process, and adds the numbers to the history as a snapshot. */
#include <stdio.h>
#include <string.h>

#include "cli/alerts/top_sites.h"
#include "cli/alerts/sentry_parts.h"
#include "procfs/process/process_age.h"
#include "procfs/memory/proportional.h"

#define SITES_KEPT 48u
#define VALUES_MAX (LEVEL_COUNT + 1 + SITES_KEPT)
#define MS_NS      1000000u
#define FIRST_NS   900000000u
#define PSS_MOST                                                                                   \
    (256ll << 20) /* resident bytes: reading PSS of more holds the process up for too long */

struct values {
    struct history_value items[VALUES_MAX];
    size_t count;
};

static void add(struct values *values, enum history_kind kind, const char *name, int64_t value)
{
    if (value >= 0 && values->count < VALUES_MAX)
        values->items[values->count++] = (struct history_value){kind, name, value};
}

/* Resident memory, the whole and its parts; what the program never did is left out. */
static void add_levels(struct values *values, const struct watch_view *view)
{
    int64_t own;
    struct memory_levels levels = view_own_levels(view, &own);
    const struct recording *recording = view->recording;
    if (!view->is_last && levels.values[LEVEL_RSS] >= 0 && levels.values[LEVEL_RSS] <= PSS_MOST)
        levels.values[LEVEL_PSS] = proportional_read(view->pid);
    if (recording->pools.calls == 0 && levels.values[LEVEL_POOL] == 0)
        levels.values[LEVEL_POOL] = -1;
    if (recording->regions.calls == 0 && levels.values[LEVEL_REGION] == 0)
        levels.values[LEVEL_REGION] = -1;
    for (int i = 0; i < LEVEL_COUNT; i++) {
        bool const is_part = i == LEVEL_ANON || i == LEVEL_FILE || i == LEVEL_SHMEM ||
                             i == LEVEL_POOL || i == LEVEL_MAPS || i == LEVEL_REGION;
        add(values, is_part ? HISTORY_CATEGORY : HISTORY_TOTAL,
            memory_level_name((enum memory_level)i), levels.values[i]);
    }
    add(values, HISTORY_CATEGORY, "memoir", own);
}

static const char *name_of(const struct sentry *sentry, const char *program)
{
    const char *slash = strrchr(program, '/');
    return sentry->options->history_name ? sentry->options->history_name
           : slash && slash[1]           ? slash + 1
                                         : program;
}

/* When the process began: the same however often somebody attaches to it. */
static uint64_t began_ms(const struct watch_view *view)
{
    uint64_t ticks, unix_ns;
    if (view->pid && process_age_read(view->pid, &ticks, &unix_ns) == 0)
        return unix_ns / MS_NS;
    return view->recording->start_unix_ns / MS_NS;
}

static void add_snapshot(struct process_watch *process, const struct watch_view *view)
{
    const struct recording *recording = view->recording;
    const char *program = recording_text(recording, recording->program);
    struct values values = {.count = 0};
    struct top_sites top = {0};
    add_levels(&values, view);
    if (top_sites_make(view, SITES_KEPT, &top) == 0)
        vec_each (site, &top.sites)
            add(&values, HISTORY_SITE, recording_text(recording, site->function), site->bytes);
    struct history_snapshot const snapshot = {.service = name_of(process->sentry, program),
                                              .host = recording_text(recording, recording->host),
                                              .program = program,
                                              .source =
                                                  recording_text(recording, recording->source),
                                              .pid = view->pid,
                                              .begin_ms = process->begin_ms,
                                              .time_ms = view->unix_ns / MS_NS,
                                              .limit_bytes = view_limit(view),
                                              .values = values.items,
                                              .count = values.count};
    history_writer_add(process->sentry->history, &snapshot);
    top_sites_fini(&top);
}

void sentry_keep(struct process_watch *process, const struct watch_view *view)
{
    struct sentry *sentry = process->sentry;
    if (!sentry->history)
        return;
    if (process->begin_ms ==
        0) { /* not at once: a wrapper soon becomes the program, and names are found */
        process->begin_ms = began_ms(view);
        process->next_snapshot_ns = view->time_ns + FIRST_NS;
    }
    /* What is left when a program has tidied up says nothing; of a short one it is all there is. */
    bool const is_only = view->is_last && !process->has_snapshot;
    if (is_only || (view->time_ns >= process->next_snapshot_ns && !view->is_last)) {
        process->has_snapshot = true;
        process->next_snapshot_ns = view->time_ns + sentry->options->history_every_ns;
        add_snapshot(process, view);
    }
}
