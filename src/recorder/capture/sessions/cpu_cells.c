/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/cpu_cells.h"

#include <errno.h>

static struct cpu_told *find_told(struct cpu_cells *cells, uint32_t pid)
{
    vec_each (told, &cells->told)
        if (told->pid == pid)
            return told;
    if (!vec_push(&cells->told, (struct cpu_told){.pid = pid}))
        return NULL;
    return &cells->told.items[cells->told.count - 1];
}

/* Adds what is new of the sums to those of the recording, which others add to as well. */
static void tell_quality(struct cpu_told *told, const struct cpu_state *state,
                         struct recording *recording, struct bucket *bucket)
{
    struct quality *quality = &recording->quality;
    uint64_t const lost = state->timing.lost + state->timing.waits_lost;
    recording->timing = state->timing;
    for (unsigned end = 0; end < STACK_END_KINDS; end++) {
        uint64_t const more = state->stack_ends[end] - told->stack_ends[end];
        quality_add_stacks(quality, STACK_SOURCE_CPU, (enum stack_end)end, more);
        quality->events += more;
        told->stack_ends[end] = state->stack_ends[end];
        quality_add_stacks(quality, STACK_SOURCE_WAITS, (enum stack_end)end,
                           state->wait_ends[end] - told->wait_ends[end]);
        told->wait_ends[end] = state->wait_ends[end];
    }
    quality->lost_events += lost - told->lost;
    bucket->lost_events += lost - told->lost;
    told->lost = lost;
}

static int collect(void *self, uint32_t pid, struct recording *recording, struct bucket *bucket,
                   uint64_t began_ns)
{
    struct cpu_cells *cells = self;
    struct cpu_told *told = find_told(cells, pid);
    struct cpu_state state;
    if (!told)
        return -ENOMEM;
    int err = cpu_station_collect(cells->station, pid, recording, bucket, began_ns, &state);
    if (err == 0)
        tell_quality(told, &state, recording, bucket);
    return err == -ESRCH ? 0 : err; /* nobody watches it */
}

static void forget(void *self, uint32_t pid)
{
    struct cpu_cells *cells = self;
    cpu_station_leave(cells->station, pid);
    for (size_t i = 0; i < cells->told.count; i++)
        if (cells->told.items[i].pid == pid)
            cells->told.items[i--] = cells->told.items[--cells->told.count];
}

static int watch(void *self, uint32_t pid, bool is_whole, struct fault *fault)
{
    return cpu_station_watch(((struct cpu_cells *)self)->station, pid, is_whole, fault);
}

static bool ask_state(void *self, uint32_t pid, struct outside_state *state)
{
    struct cpu_state now;
    if (!cpu_station_state(((struct cpu_cells *)self)->station, pid, &now))
        return false;
    *state = (struct outside_state){now.has_ended, now.has_execed};
    return true;
}

static uint32_t next_child(void *self)
{
    return cpu_station_next_child(((struct cpu_cells *)self)->station);
}

static void conclude(void *self, uint32_t pid, struct recording *recording)
{
    const struct cpu_cells *cells = self;
    struct cpu_state state;
    if (!cpu_station_state(cells->station, pid, &state))
        return;
    for (unsigned i = 0; i < sizeof(state.doubts) / sizeof(state.doubts[0]); i++)
        if (state.doubts[i][0])
            recording_note(recording, "%s", state.doubts[i]);
}

void cpu_cells_init(struct cpu_cells *cells, struct cpu_station *station)
{
    *cells = (struct cpu_cells){
        .source = {.self = cells, .collect = collect, .conclude = conclude, .forget = forget},
        .watch = {.self = cells,
                  .cells = &cells->source,
                  .watch = watch,
                  .state = ask_state,
                  .next_child = next_child},
        .station = station};
}

void cpu_cells_fini(struct cpu_cells *cells)
{
    vec_free(&cells->told);
}
