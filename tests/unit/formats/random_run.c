/* SPDX-License-Identifier: Apache-2.0 */
#include "random_run.h"

#include <assert.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "random.h"

#define BLOCKS_MAX 5000
#define THREADS    8
#define SECOND     UINT64_C(1000000000)

struct block {
    int64_t size;
    unsigned site, thread;
    uint64_t serial; /* its thread's allocations when it was made */
};

struct world {
    uint64_t seed;
    struct random_run *run;
    struct block blocks[BLOCKS_MAX];
    size_t live;
    uint64_t serials[THREADS];
    struct site_books now[RUN_SITES]; /* leaked: live now */
    int64_t live_bytes;
    int64_t cells[RUN_BUCKETS][RUN_SITES][COL_HEAP_TEMPORARY + 1];
    unsigned bucket;
    uint64_t time_ns, peak_ns;
};

static uint64_t below(struct world *world, uint64_t limit)
{
    world->seed = world->seed * 6364136223846793005u + 1442695040888963407u;
    return (world->seed >> 33) % limit;
}

static int64_t pick_size(struct world *world, unsigned site)
{
    switch (site % 3) {
    case 0:
        return 32 * (site + 1); /* one size */
    case 1:
        return (int64_t)below(world, 2000); /* any */
    default:
        return below(world, 40) ? 16 : 100000; /* mostly small, some huge */
    }
}

static void check_peak(struct world *world)
{
    struct site_books *total = &world->run->total;
    if (world->live_bytes <= total->peak)
        return;
    total->peak = world->live_bytes;
    total->peak_blocks = (int64_t)world->live;
    world->peak_ns = world->time_ns;
    for (unsigned i = 0; i < RUN_SITES; i++) {
        world->run->sites[i].peak = world->now[i].leaked;
        world->run->sites[i].peak_blocks = world->now[i].leaked_blocks;
    }
}

static void allocate(struct world *world, unsigned thread)
{
    unsigned site = (unsigned)below(world, RUN_SITES);
    struct block block = {pick_size(world, site), site, thread, ++world->serials[thread]};
    int64_t *cells = world->cells[world->bucket][site];
    world->blocks[world->live++] = block;
    cells[COL_HEAP_CALLS]++;
    cells[COL_HEAP_BYTES] += block.size;
    world->now[site].leaked += block.size;
    world->now[site].leaked_blocks++;
    world->run->sites[site].calls++;
    world->run->sites[site].allocated += block.size;
    world->run->total.calls++;
    world->live_bytes += block.size;
    check_peak(world);
}

static void release(struct world *world, size_t index)
{
    struct block block = world->blocks[index];
    int64_t *cells = world->cells[world->bucket][block.site];
    world->blocks[index] = world->blocks[--world->live];
    cells[COL_HEAP_FREES]++;
    cells[COL_HEAP_FREED] += block.size;
    world->now[block.site].leaked -= block.size;
    world->now[block.site].leaked_blocks--;
    world->live_bytes -= block.size;
    if (block.serial == world->serials[block.thread]) {
        cells[COL_HEAP_TEMPORARY]++;
        world->run->sites[block.site].temporary++;
        world->run->total.temporary++;
    }
}

static void step(struct world *world, unsigned threads)
{
    uint64_t choice = below(world, 100);
    if (world->live == 0 || (choice < 50 && world->live < BLOCKS_MAX))
        allocate(world, (unsigned)below(world, threads));
    else if (choice < 80)
        release(world, world->live - 1); /* the youngest */
    else
        release(world, below(world, world->live));
}

static struct cell *add_cell(struct cell *cell, stack_id stack, int column, int64_t value)
{
    *cell = (struct cell){stack, (uint16_t)column, value};
    return cell + (value != 0);
}

static void add_bucket(struct world *world, unsigned index, const stack_id *stacks)
{
    struct cell *cells = calloc(RUN_SITES * COL_HEAP_TEMPORARY + 1, sizeof(*cells)), *end = cells;
    for (unsigned site = 0; site < RUN_SITES; site++)
        for (int column = COL_HEAP_CALLS; column <= COL_HEAP_TEMPORARY; column++)
            end = add_cell(end, stacks[site], column, world->cells[index][site][column]);
    struct bucket bucket = {.begin_ns = index * SECOND,
                            .end_ns = (index + 1) * SECOND,
                            .gauges = {(int64_t)(index + 1) << 20, -1, -1, -1},
                            .cells = cells,
                            .cell_count = (size_t)(end - cells)};
    vec_push(&world->run->recording->buckets, bucket);
}

static void add_peak(struct world *world, const stack_id *stacks)
{
    struct cell *cells = calloc(2 * RUN_SITES + 1, sizeof(*cells)), *end = cells;
    for (unsigned site = 0; site < RUN_SITES; site++) {
        end = add_cell(end, stacks[site], COL_HEAP_BYTES, world->run->sites[site].peak);
        end = add_cell(end, stacks[site], COL_HEAP_CALLS, world->run->sites[site].peak_blocks);
    }
    struct pin pin = {.kind = PIN_PEAK,
                      .time_ns = world->peak_ns,
                      .cells = cells,
                      .cell_count = (size_t)(end - cells)};
    vec_push(&world->run->recording->pins, pin);
}

static uint32_t add_frame(struct recording *recording, const char *function)
{
    struct location location = {.function = recording_intern(recording, function)};
    struct frame frame = {.first_location = (uint32_t)recording->locations.count,
                          .location_count = 1,
                          .address = 0x1000 + recording->frames.count};
    vec_push(&recording->locations, location);
    vec_push(&recording->frames, frame);
    return (uint32_t)recording->frames.count - 1;
}

static void add_stacks(struct recording *recording, stack_id *stacks)
{
    stack_id in_main;
    struct module module = {.path = recording_intern(recording, "/bin/run")};
    vec_push(&recording->modules, module);
    stack_table_push(recording->stacks, STACK_EMPTY, add_frame(recording, "main"), &in_main);
    for (unsigned site = 0; site < RUN_SITES; site++) {
        char name[16];
        snprintf(name, sizeof(name), "site%u", site);
        stack_table_push(recording->stacks, in_main, add_frame(recording, name), &stacks[site]);
    }
}

struct random_run random_run_create(uint64_t seed, uint64_t events_per_bucket, unsigned threads)
{
    struct random_run run = {.recording = recording_create()};
    struct world *world = calloc(1, sizeof(*world));
    stack_id stacks[RUN_SITES];
    assert(run.recording && world && threads <= THREADS);
    world->seed = seed + (random_seed() << 16);
    world->run = &run;
    run.recording->program = recording_intern(run.recording, "/bin/run");
    run.recording->duration_ns = RUN_BUCKETS * SECOND;
    add_stacks(run.recording, stacks);
    for (world->bucket = 0; world->bucket < RUN_BUCKETS; world->bucket++) {
        for (uint64_t i = 0; i < events_per_bucket; i++) {
            world->time_ns = world->bucket * SECOND + i * SECOND / events_per_bucket;
            step(world, threads);
        }
    }
    for (unsigned i = 0; i < RUN_BUCKETS; i++)
        add_bucket(world, i, stacks);
    add_peak(world, stacks);
    for (unsigned i = 0; i < RUN_SITES; i++) {
        run.sites[i].leaked = world->now[i].leaked;
        run.sites[i].leaked_blocks = world->now[i].leaked_blocks;
        run.total.leaked += world->now[i].leaked;
    }
    run.recording->heap.peak_bytes = (uint64_t)run.total.peak;
    run.recording->heap.calls = (uint64_t)run.total.calls;
    run.recording->heap.peak_time_ns = world->peak_ns;
    free(world);
    return run;
}
