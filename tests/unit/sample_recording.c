/* SPDX-License-Identifier: Apache-2.0 */
#include "sample_recording.h"

#include <stdlib.h>

#define MIB       (1024 * 1024)
#define SEC       UINT64_C(1000000000)
#define CELLS_MAX 64

enum { MODULE_NODE, MODULE_LIBC, MODULE_STDCXX, MODULE_PLUGIN };

static void must(bool ok)
{
    if (!ok)
        abort();
}

static void add_module(struct recording *recording, const char *path, const char *build_id)
{
    struct module module = {
        .path = recording_intern(recording, path),
        .build_id = recording_intern(recording, build_id),
        .start = 0x400000 + 0x1000000 * (recording->modules.count + 1),
    };
    module.end = module.start + 0x100000;
    module.bias = module.start;
    must(vec_push(&recording->modules, module));
}

/* One line of a frame; a frame's lines are added innermost first, right after the frame. */
static void add_location(struct recording *recording, const char *function, const char *file,
                         uint32_t line)
{
    struct location location = {.function = recording_intern(recording, function),
                                .symbol = recording_intern(recording, function),
                                .file = recording_intern(recording, file),
                                .line = line};
    must(vec_push(&recording->locations, location));
    recording->frames.items[recording->frames.count - 1].location_count++;
}

static uint32_t add_frame(struct recording *recording, uint32_t module, uint64_t address)
{
    struct frame frame = {.module = module,
                          .first_location = (uint32_t)recording->locations.count,
                          .address = address};
    must(vec_push(&recording->frames, frame));
    return (uint32_t)recording->frames.count - 1;
}

static uint32_t add_named(struct recording *recording, uint32_t module, const char *function,
                          const char *file, uint32_t line)
{
    uint32_t const frame = add_frame(recording, module, 0x1000 + 16 * recording->frames.count);
    add_location(recording, function, file, line);
    return frame;
}

static stack_id push(struct recording *recording, stack_id caller, uint32_t frame)
{
    stack_id id;
    must(stack_table_push(recording->stacks, caller, frame, &id) == 0);
    return id;
}

static void add_stacks(struct sample *sample)
{
    struct recording *r = sample->recording;
    uint32_t const start = add_named(r, MODULE_NODE, "_start", "", 0);
    uint32_t const main_ = add_named(r, MODULE_NODE, "main", "node.c", 12);
    uint32_t const handle_a = add_named(r, MODULE_NODE, "handle", "server.c", 40);
    uint32_t const handle_b = add_named(r, MODULE_NODE, "handle", "server.c", 55);
    uint32_t const store = add_frame(r, MODULE_NODE, 0x2000);
    add_location(r, "cache_insert", "cache.c", 88);
    add_location(r, "store_block", "store.c", 7);
    uint32_t const parse = add_named(r, MODULE_NODE, "parse", "parse.c", 3);
    uint32_t const walk = add_named(r, MODULE_NODE, "walk", "tree.c", 21);
    uint32_t const plugin = add_frame(r, MODULE_PLUGIN, 0x1234);
    uint32_t const tz = add_named(r, MODULE_LIBC, "tzset_internal", "tzset.c", 401);
    uint32_t const malloc_ = add_named(r, MODULE_LIBC, "malloc", "", 0);
    uint32_t const new_ = add_named(r, MODULE_STDCXX, "operator new(unsigned long)", "", 0);

    stack_id const in_main = push(r, push(r, STACK_EMPTY, start), main_);
    sample->stacks[SITE_CACHE] = push(r, push(r, push(r, in_main, handle_a), store), malloc_);
    sample->stacks[SITE_PARSE] = push(r, push(r, push(r, in_main, handle_b), parse), new_);
    stack_id const walked = push(r, push(r, push(r, in_main, walk), walk), walk);
    sample->stacks[SITE_TREE] = push(r, walked, malloc_);
    sample->stacks[SITE_PLUGIN] = push(r, push(r, in_main, plugin), malloc_);
    sample->stacks[SITE_TZ] = push(r, push(r, in_main, tz), malloc_);
}

struct sample_cells {
    struct cell *cells;
    size_t count;
};

static void put(struct sample_cells *list, uint32_t key, unsigned column, int64_t value)
{
    if (!list->cells)
        must((list->cells = calloc(CELLS_MAX, sizeof(struct cell))) != NULL);
    must(list->count < CELLS_MAX);
    list->cells[list->count++] = (struct cell){key, (uint16_t)column, value};
}

static void put_allocs(struct sample_cells *list, stack_id stack, int64_t calls, int64_t size)
{
    put(list, stack, COL_HEAP_CALLS, calls);
    put(list, stack, COL_HEAP_BYTES, calls * size);
    put(list, stack, COL_SIZE_0 + size_class((uint64_t)size), calls);
}

static void put_frees(struct sample_cells *list, stack_id stack, int64_t calls, int64_t size)
{
    put(list, stack, COL_HEAP_FREES, calls);
    put(list, stack, COL_HEAP_FREED, calls * size);
}

/* Parsing allocates and frees the same in every bucket. */
static void put_parsing(struct sample_cells *list, const struct sample *sample)
{
    put_allocs(list, sample->stacks[SITE_PARSE], 1000, 64);
    put_frees(list, sample->stacks[SITE_PARSE], 1000, 64);
    put(list, sample->stacks[SITE_PARSE], COL_HEAP_TEMPORARY, 900);
    put(list, sample->stacks[SITE_PARSE], COL_LIFETIME_0 + 0, 900);
    put(list, sample->stacks[SITE_PARSE], COL_LIFETIME_0 + 2, 100);
}

static void add_bucket(struct recording *recording, const struct sample_cells *cells,
                       struct gauges gauges)
{
    uint64_t const begin = 10 * SEC * recording->buckets.count;
    struct bucket bucket = {.begin_ns = begin, .end_ns = begin + 10 * SEC, .gauges = gauges};
    struct sample_cells threads = {0};
    bucket.cells = cells->cells;
    bucket.cell_count = cells->count;
    for (size_t i = 0; i < cells->count; i++) /* all on the worker, but what the plugin does */
        if (cells->cells[i].column < COL_SIZE_0)
            put(&threads, cells->cells[i].value == 4000 ? 0 : 1, cells->cells[i].column,
                cells->cells[i].value);
    bucket.thread_cells = threads.cells;
    bucket.thread_cell_count = threads.count;
    must(vec_push(&recording->buckets, bucket));
}

static void add_buckets(struct sample *sample)
{
    const stack_id *stacks = sample->stacks;
    struct sample_cells list = {0};
    put_allocs(&list, stacks[SITE_CACHE], 4, MIB);
    put_parsing(&list, sample);
    put_allocs(&list, stacks[SITE_PLUGIN], 1, 4000);
    put_allocs(&list, stacks[SITE_TZ], 1, 100);
    put(&list, stacks[SITE_PLUGIN], COL_MAP_CALLS, 1);
    put(&list, stacks[SITE_PLUGIN], COL_MAP_BYTES, 65536);
    add_bucket(sample->recording, &list, (struct gauges){6 * MIB, 4198404, 4198404, 0});

    list = (struct sample_cells){0};
    put_allocs(&list, stacks[SITE_CACHE], 6, MIB);
    put_parsing(&list, sample);
    put_allocs(&list, stacks[SITE_TREE], 2, MIB / 2);
    add_bucket(sample->recording, &list, (struct gauges){14 * MIB, 11538436, 11538436, 4198404});

    list = (struct sample_cells){0};
    put_frees(&list, stacks[SITE_CACHE], 8, MIB);
    put(&list, stacks[SITE_CACHE], COL_LIFETIME_0 + 8, 8);
    put_parsing(&list, sample);
    put_frees(&list, stacks[SITE_TREE], 1, MIB / 2);
    put(&list, stacks[SITE_TREE], COL_LIFETIME_0 + 7, 1);
    add_bucket(sample->recording, &list, (struct gauges){9 * MIB, 2625540, 11538436, 2625540});
}

static void add_peak(struct sample *sample)
{
    const stack_id *stacks = sample->stacks;
    struct sample_cells list = {0}, threads = {0};
    static const int64_t bytes[SITE_COUNT] = {10 * MIB, 0, MIB, 4000, 100};
    static const int64_t blocks[SITE_COUNT] = {10, 0, 2, 1, 1};
    for (int site = 0; site < SITE_COUNT; site++) {
        if (!blocks[site])
            continue;
        put(&list, stacks[site], COL_HEAP_BYTES, bytes[site]);
        put(&list, stacks[site], COL_HEAP_CALLS, blocks[site]);
    }
    put(&threads, 0, COL_HEAP_BYTES, 4000);
    put(&threads, 0, COL_HEAP_CALLS, 1);
    put(&threads, 1, COL_HEAP_BYTES, 11 * MIB + 100);
    put(&threads, 1, COL_HEAP_CALLS, 13);
    struct pin pin = {PIN_PEAK,   18 * SEC,      STRING_EMPTY, list.cells,
                      list.count, threads.cells, threads.count};
    must(vec_push(&sample->recording->pins, pin));
}

static void add_people(struct recording *recording)
{
    recording->program = recording_intern(recording, "ledger-node");
    recording->command_line = recording_intern(recording, "./ledger-node --port 9000");
    recording->host = recording_intern(recording, "node-7");
    recording->source = recording_intern(recording, "memoir run");
    recording->pid = 4242;
    recording->parent_pid = 4200;
    recording->start_unix_ns = UINT64_C(1700000000) * SEC;
    recording->duration_ns = 30 * SEC;
    recording->exit_status = 0;
    recording->page_bytes = 4096;
    recording->machine_bytes = 8ull << 30;
    string_id const main_name = recording_intern(recording, "ledger-node");
    string_id const worker = recording_intern(recording, "worker");
    must(vec_push(&recording->threads, (struct thread){4242, main_name, 0, 30 * SEC, 1}));
    must(vec_push(&recording->threads, (struct thread){4243, worker, SEC, 29 * SEC, 1}));
}

static void add_numbers(struct recording *recording)
{
    recording->heap = (struct totals){.calls = 3014,
                                      .bytes = 11730436,
                                      .frees = 3009,
                                      .freed_bytes = 9104896,
                                      .temporary = 2700,
                                      .peak_bytes = 11538436,
                                      .peak_count = 14,
                                      .peak_time_ns = 18 * SEC,
                                      .slack_bytes = 24320,
                                      .peak_slack_bytes = 220};
    recording->maps = (struct totals){
        .calls = 1, .bytes = 65536, .peak_bytes = 65536, .peak_count = 1, .peak_time_ns = 2 * SEC};
    recording->quality = (struct quality){.events = 6024, .complete = true};
    recording->quality.stack_ends[STACK_END_COMPLETE] = 6022;
    recording->quality.stack_ends[STACK_END_NO_RULE] = 2;
    recording->cost = (struct cost){.recorder_cpu_ns = 120000000,
                                    .recorder_rss_bytes = 12 * MIB,
                                    .arena_bytes = 2 * MIB,
                                    .ns_per_event = 28};
}

struct sample sample_create(void)
{
    struct sample sample = {.recording = recording_create()};
    must(sample.recording != NULL);
    add_module(sample.recording, "/opt/ledger/ledger-node", "0123456789abcdef");
    add_module(sample.recording, "/lib/x86_64-linux-gnu/libc.so.6", "c0ffee");
    add_module(sample.recording, "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30", "");
    add_module(sample.recording, "/opt/ledger/libplugin.so", "");
    add_stacks(&sample);
    add_buckets(&sample);
    add_peak(&sample);
    add_people(sample.recording);
    add_numbers(sample.recording);
    return sample;
}

void sample_destroy(struct sample *sample)
{
    recording_destroy(sample->recording);
}
