/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/targets/memory_look.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "serve/http/exchange.h"

#define INSIDE_MOST 200

static struct subsystem *find_subsystem(struct memory_look *look, enum breakdown_section category,
                                        const char *name)
{
    vec_each (known, &look->subsystems)
        if (known->category == category && strcmp(known->name, name) == 0)
            return known;
    return NULL;
}

static size_t count_category(const struct memory_look *look, enum breakdown_section category)
{
    size_t count = 0;
    vec_each (known, &look->subsystems)
        count += known->category == category;
    return count;
}

static int add_leaf(struct memory_look *look, const struct breakdown_leaf *leaf)
{
    struct subsystem made = {.category = leaf->section};
    snprintf(made.name, sizeof(made.name), "%s", leaf->label[0] ? leaf->label : "unnamed");
    struct subsystem *found = find_subsystem(look, made.category, made.name);
    if (!found && count_category(look, made.category) >= SUBSYSTEMS_MOST) {
        snprintf(made.name, sizeof(made.name), "other");
        found = find_subsystem(look, made.category, made.name);
    }
    if (!found) {
        if (!vec_push(&look->subsystems, made))
            return -ENOMEM;
        found = &look->subsystems.items[look->subsystems.count - 1];
    }
    memory_bytes_add(&found->bytes, &leaf->bytes);
    return 0;
}

static bool has_number(const struct memory_look *look, const struct runtime_number *number)
{
    vec_each (known, &look->inside)
        if (strcmp(known->runtime, number->runtime) == 0 && strcmp(known->name, number->name) == 0)
            return true;
    return false;
}

/* What a runtime must not pass, by the names that src/runtimes gives it. */
static bool is_limit(const char *name)
{
    return strcmp(name, "memory_limit") == 0 || strcmp(name, "heap.max") == 0;
}

static int add_inside(struct memory_look *look, const struct inside_view *view)
{
    vec_each (number, &view->numbers) {
        struct runtime_number made = {.bytes = number->value, .is_limit = is_limit(number->name)};
        snprintf(made.runtime, sizeof(made.runtime), "%s", view->runtime);
        snprintf(made.name, sizeof(made.name), "%s", number->name);
        if (number->is_count || look->inside.count == INSIDE_MOST || has_number(look, &made))
            continue;
        if (!vec_push(&look->inside, made))
            return -ENOMEM;
    }
    return 0;
}

static void forget(struct memory_look *look)
{
    vec_free(&look->subsystems);
    vec_free(&look->inside);
    look->is_known = false;
}

static int64_t residual(const struct breakdown *breakdown)
{
    int64_t const sum = (int64_t)breakdown->total.rss;
    int64_t const before = breakdown->rss_before, after = breakdown->rss_after;
    bool const is_between =
        (before <= sum && sum <= after) || (after <= sum && sum <= before) || after < 0;
    return is_between ? 0 : after - sum;
}

int memory_look_sum(struct memory_look *look, const struct breakdown *breakdown)
{
    int err = 0;
    forget(look);
    look->has_shares = breakdown->source == BREAKDOWN_SMAPS;
    look->total = breakdown->total;
    look->cgroup = breakdown->cgroup;
    look->page_tables = breakdown->page_tables;
    look->unattributed = residual(breakdown);
    look->regions = breakdown_region_count(breakdown);
    for (size_t i = 0; i < breakdown->leaves.count && !err; i++)
        err = add_leaf(look, &breakdown->leaves.items[i]);
    for (size_t i = 0; i < breakdown->insides.count && !err; i++)
        err = add_inside(look, &breakdown->insides.items[i]);
    look->is_known = !err;
    return err;
}

void memory_look_refresh(struct memory_look *look, uint32_t pid)
{
    uint64_t const began = monotonic_ns();
    struct process_snapshot snapshot;
    if (look->taken_ns && began - look->taken_ns < look->cost_ns * LOOK_SHARE)
        return;
    if (snapshot_read(&snapshot, pid, &(struct process_snapshot_options){.top = 1}, NULL) == 0) {
        memory_look_sum(look, &snapshot.breakdown);
        snapshot_fini(&snapshot);
    } else
        forget(look);
    look->taken_ns = monotonic_ns();
    look->cost_ns = look->taken_ns - began;
    look->looks++;
    look->gentle_looks += look->is_known && !look->has_shares;
    look->failures += !look->is_known;
}

void memory_look_fini(struct memory_look *look)
{
    forget(look);
}
