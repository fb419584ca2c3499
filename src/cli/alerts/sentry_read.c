/* SPDX-License-Identifier: Apache-2.0 */
/* sentry_read.c - the values that alert rules compare: levels, shares of the limit, growth,
 * pressure. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "analyze/trees/stack_match.h"
#include "base/clock.h"
#include "cli/alerts/sentry_parts.h"

#define MATCH_REST 50u /* time between two searches for matching stacks, against what one takes */

struct memory_levels view_levels(const struct watch_view *view)
{
    return (struct memory_levels){{[LEVEL_RSS] = view->memory.rss_bytes,
                                   [LEVEL_ANON] = view->memory.anon_bytes,
                                   [LEVEL_FILE] = view->memory.file_bytes,
                                   [LEVEL_SHMEM] = view->memory.shmem_bytes,
                                   [LEVEL_SWAP] = view->memory.swap_bytes,
                                   [LEVEL_PSS] = -1,
                                   [LEVEL_HEAP] = view->heap_bytes,
                                   [LEVEL_BLOCKS] = view->heap_blocks,
                                   [LEVEL_POOL] = view->pool_bytes,
                                   [LEVEL_MAPS] = view->map_bytes,
                                   [LEVEL_REGION] = view->region_bytes}};
}

struct memory_levels view_own_levels(const struct watch_view *view, int64_t *own)
{
    struct memory_levels levels = view_levels(view);
    int64_t const shared = levels.values[LEVEL_SHMEM];
    *own = shared < 0 ? 0 : view->own_bytes < shared ? view->own_bytes : shared;
    if (shared >= 0 && levels.values[LEVEL_RSS] >= *own) {
        levels.values[LEVEL_RSS] -= *own;
        levels.values[LEVEL_SHMEM] -= *own;
    }
    return levels;
}

int64_t view_limit(const struct watch_view *view)
{
    const struct recording *recording = view->recording;
    return (int64_t)(recording->limit_bytes ? recording->limit_bytes : recording->machine_bytes);
}

/* An alert that cannot be worked out is worse than none, unless somebody knows. */
static void give_up(struct site_codes *sites, const struct fault *fault)
{
    if (!sites->is_too_much)
        fprintf(stderr, "memoir: %s; that alert is off, recording goes on\n", fault->text);
    sites->is_too_much = true;
    free(sites->codes);
    sites->codes = NULL;
}

/* Finds the stacks that match, again when there are new ones or new names, but never so often
 * that it counts. */
static void match_sites(struct site_codes *sites, const struct pattern *pattern,
                        const struct watch_view *view)
{
    uint32_t const stacks = stack_table_count(view->recording->stacks);
    size_t const locations = view->recording->locations.count;
    struct fault fault = {.text = ""};
    bool const is_new = sites->stacks != stacks || sites->locations != locations;
    if (sites->is_too_much || (sites->codes && (!is_new || view->time_ns < sites->next_ns)))
        return;
    uint64_t const begin = clock_ns(CLOCK_THREAD_CPUTIME_ID);
    uint32_t *codes;
    int const err = stack_match_pattern(view->recording, pattern, &codes, &fault);
    if (err == -EINVAL)
        give_up(sites, &fault);
    if (err)
        return;
    free(sites->codes);
    *sites = (struct site_codes){
        .codes = codes,
        .stacks = stacks,
        .locations = locations,
        .next_ns = view->time_ns + MATCH_REST * (clock_ns(CLOCK_THREAD_CPUTIME_ID) - begin)};
}

static struct alert_reading read_site(struct process_watch *process, unsigned index,
                                      const struct watch_view *view)
{
    struct site_codes *sites = &process->sites[index];
    struct alert_reading reading = {.threshold = process->sentry->options->rules[index].threshold};
    struct pin pin;
    match_sites(sites, process->sentry->options->sites[index], view);
    if (!sites->codes || watch_view_cells(view, &pin) < 0)
        return reading;
    for (size_t i = 0; i < pin.cell_count; i++) {
        const struct cell *cell = &pin.cells[i];
        if (cell->column == COL_HEAP_BYTES && cell->key <= sites->stacks && sites->codes[cell->key])
            reading.value += (double)cell->value;
    }
    reading.is_known = true;
    free(pin.cells);
    free(pin.thread_cells);
    return reading;
}

/* Growth counts when the verdict says so, twice in a row; without one it is no growth at all. */
static struct alert_reading read_growth(struct process_watch *process,
                                        const struct alert_rule *rule,
                                        const struct watch_view *view)
{
    struct growth_watch *sentry = process->growth[rule->level];
    struct alert_reading reading = {.threshold = rule->threshold};
    int64_t own;
    int64_t const value = view_own_levels(view, &own).values[rule->level];
    if (!sentry || value < 0)
        return reading;
    if (sentry->count == 0 || sentry->points[sentry->count - 1].time_ns != view->time_ns)
        growth_watch_add(sentry, view->time_ns, value);
    bool const grows = growth_watch_judge(sentry, view_limit(view));
    reading.is_known = sentry->growth.verdict != GROWTH_UNKNOWN;
    if (!grows)
        return reading;
    double const middle = (double)sentry->growth.middle;
    reading.value = sentry->growth.slope;
    if (rule->is_share)
        reading.value = middle > 0 ? sentry->growth.slope / middle : 0;
    return reading;
}

static struct alert_reading read_level(const struct alert_rule *rule, const struct watch_view *view)
{
    int64_t const value = view_levels(view).values[rule->level];
    double const share = rule->is_share ? (double)view_limit(view) : 1;
    return (struct alert_reading){value >= 0, (double)value, rule->threshold * share};
}

struct alert_reading sentry_read(struct process_watch *process, unsigned index,
                                 const struct watch_view *view)
{
    const struct alert_rule *rule = &process->sentry->options->rules[index];
    if (rule->kind == ALERT_GROWTH)
        return read_growth(process, rule, view);
    if (rule->kind == ALERT_PRESSURE)
        return pressure_watch_read(process->pressure[index], view->time_ns);
    return rule->site[0] ? read_site(process, index, view) : read_level(rule, view);
}

void process_watch_fini(struct process_watch *process)
{
    for (unsigned i = 0; i < SENTRY_ALERTS_MAX; i++) {
        free(process->sites[i].codes);
        pressure_watch_destroy(process->pressure[i]);
    }
    for (unsigned i = 0; i < LEVEL_COUNT; i++)
        free(process->growth[i]);
    live_pictures_fini(&process->pictures);
}
