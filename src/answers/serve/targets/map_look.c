/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/targets/map_look.h"

#include <errno.h>
#include <stdlib.h>

#include "base/clock.h"

#define LOOK_SHARE   100 /* looking may take this part of the time */
#define FRESH_NS     NS_PER_SECOND
#define REGIONS_KEPT 131072u /* more are looked at anew each time: some 25 MB would stay for them */

struct map_look {
    struct process_snapshot snapshot;
    bool is_taken;
    uint32_t pid;
    uint64_t taken_ns;
    struct sort_rules rules;
};

static void drop(struct map_look *look)
{
    if (look->is_taken)
        snapshot_fini(&look->snapshot);
    look->is_taken = false;
}

static bool is_fresh(const struct map_look *look, uint32_t pid)
{
    const struct breakdown *breakdown = &look->snapshot.breakdown;
    uint64_t const good_ns = breakdown->capture_ns * LOOK_SHARE;
    return look->is_taken && look->pid == pid && breakdown->regions.count <= REGIONS_KEPT &&
           monotonic_ns() - look->taken_ns < (good_ns > FRESH_NS ? good_ns : FRESH_NS);
}

/* Without rules of people's own: those are not asked for over HTTP. */
static bool same_order(const struct sort_rules *one, const struct sort_rules *other)
{
    return one->by == other->by && one->figure == other->figure;
}

const struct breakdown *map_look_refresh(struct map_look **kept, uint32_t pid,
                                         const struct sort_rules *rules, int *err,
                                         struct fault *fault)
{
    struct process_snapshot_options const options = {.rules = *rules};
    if (!*kept)
        *kept = calloc(1, sizeof(**kept));
    struct map_look *look = *kept;
    if (!look) {
        *err = fault_set(fault, -ENOMEM, "out of memory");
        return NULL;
    }
    *err = 0;
    if (is_fresh(look, pid)) {
        if (!same_order(&look->rules, rules))
            *err = breakdown_sort(&look->snapshot.breakdown, *rules);
        if (*err)
            fault_set(fault, *err, "out of memory");
    } else {
        drop(look);
        *err = snapshot_read(&look->snapshot, pid, &options, fault);
        look->is_taken = *err == 0;
        look->pid = pid;
        look->taken_ns = monotonic_ns();
    }
    look->rules = *rules;
    if (*err)
        drop(look);
    return *err ? NULL : &look->snapshot.breakdown;
}

void map_look_destroy(struct map_look *look)
{
    if (look)
        drop(look);
    free(look);
}
