/* SPDX-License-Identifier: Apache-2.0 */
#include "serve/metrics_state.h"

#include <stdio.h>
#include <stdlib.h>

#include "procfs/proc_text.h"
#include "procfs/smaps.h"
#include "serve/exchange.h"

#define ROLLUP_MAX 65536u

struct metrics_state *metrics_state_create(size_t sites)
{
    struct metrics_state *state = calloc(1, sizeof(*state));
    if (state)
        site_list_init(&state->sites, sites);
    return state;
}

void metrics_state_destroy(struct metrics_state *state)
{
    if (!state)
        return;
    site_list_fini(&state->sites);
    for (size_t i = 0; i < METRICS_FORMATS; i++)
        free(state->texts[i].body);
    free(state);
}

static bool read_rollup(uint32_t pid, struct memory_bytes *bytes)
{
    char path[64], *text;
    struct smaps smaps = {0};
    snprintf(path, sizeof(path), "/proc/%u/smaps_rollup", pid);
    if (proc_text_read(path, ROLLUP_MAX, &text) < 0)
        return false;
    bool const is_read = smaps_take(&smaps, slice_of(text)) > 0 && smaps.regions.count == 1;
    if (is_read)
        *bytes = smaps.regions.items[0].bytes;
    smaps_fini(&smaps);
    free(text);
    return is_read;
}

void rollup_refresh(struct rollup *rollup, uint32_t pid)
{
    uint64_t const began = monotonic_ns();
    if (rollup->read_ns && began - rollup->read_ns < rollup->cost_ns * ROLLUP_COST_SHARE)
        return;
    rollup->is_known = read_rollup(pid, &rollup->bytes);
    rollup->read_ns = monotonic_ns();
    rollup->cost_ns = rollup->read_ns - began;
    rollup->reads++;
    rollup->failures += !rollup->is_known;
}
