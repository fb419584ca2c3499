/* SPDX-License-Identifier: Apache-2.0 */
/* large_recording.c - large-recording FILE [SECONDS [STACKS [ACTIVE]]]: a recording as large as
 * one of a long run, made within a minute and the same each time.
 *
 * So many seconds of a heap with so many call stacks, of which ACTIVE allocate in each second: a
 * few thousand calls of each, most of them freed soon, some kept, and a cache that is dropped at
 * three quarters of the time, which is where the peak is. 6,000 seconds of 20,000 stacks, 1,300
 * of them active, are what is made unasked: about 200 MB. */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "store/write/recording_writer.h"

#define SECOND      UINT64_C(1000000000)
#define FRAMES      6000u
#define THREADS     16u
#define DEPTH_LEAST 20u
#define DEPTH_MOST  30u
#define SLACK       8u  /* bytes of each block */
#define LEAKS_EVERY 64u /* stacks: one of them keeps a part of what it takes */
#define CACHE_EVERY 16u /* stacks: one of them keeps everything until the cache is dropped */

struct site {
    stack_id stack;
    uint64_t block_bytes, live_blocks, peak_blocks;
};

struct maker {
    struct recording *recording;
    struct recording_writer *writer;
    uint64_t random;
    struct site *sites;
    uint32_t site_count, active;
    uint64_t seconds, live_bytes, live_blocks;
    VEC(struct cell) cells;
    struct {
        uint64_t calls, bytes, frees, freed;
    } threads[THREADS];
};

static void must(bool ok, const char *what)
{
    if (ok)
        return;
    fprintf(stderr, "large-recording: %s\n", what);
    exit(1);
}

static uint64_t draw(struct maker *maker, uint64_t below)
{
    maker->random ^= maker->random << 13;
    maker->random ^= maker->random >> 7;
    maker->random ^= maker->random << 17;
    return (maker->random >> 11) % below;
}

/* Small numbers are likelier: half of them are in the first eighth. */
static uint64_t draw_low(struct maker *maker, uint64_t below)
{
    uint64_t const first = draw(maker, below), second = draw(maker, below),
                   third = draw(maker, below);
    uint64_t const least = first < second ? first : second;
    return (least < third ? least : third) * draw(maker, 1000) / 1000;
}

static void make_frames(struct maker *maker)
{
    static const char *const modules[] = {"/usr/bin/node", "/usr/lib/libengine.so.3",
                                          "/usr/lib/libstore.so.8", "/usr/lib/libnet.so.1",
                                          "/usr/lib/libc.so.6"};
    static const char *const parts[] = {"chain", "peer", "trie", "pool", "codec", "sync", "state"};
    static const char *const verbs[] = {"apply", "read", "insert", "decode", "verify", "request"};
    struct recording *recording = maker->recording;
    for (uint32_t i = 0; i < 5; i++) {
        struct module const module = {.path = recording_intern(recording, modules[i]),
                                      .start = 0x400000 + i * 0x10000000ull,
                                      .end = 0x1400000 + i * 0x10000000ull};
        must(vec_push(&recording->modules, module), "out of memory");
    }
    for (uint32_t i = 0; i < FRAMES; i++) {
        char name[80], file[80];
        const char *part = parts[i % 7];
        snprintf(name, sizeof(name), "engine::%s::%s_%u(Batch const&)", part, verbs[i / 7 % 6],
                 i / 3);
        snprintf(file, sizeof(file), "src/%s/%s_%u.cc", part, part, i % 83);
        struct location const location = {.function = recording_intern(recording, name),
                                          .file = recording_intern(recording, file),
                                          .line = 10 + i % 900};
        struct frame const frame = {.module = i % 5,
                                    .address = 0x1000 + i * 64ull,
                                    .first_location = (uint32_t)recording->locations.count,
                                    .location_count = 1};
        must(vec_push(&recording->locations, location) && vec_push(&recording->frames, frame),
             "out of memory");
    }
}

/* Each stack begins as an earlier one does and goes its own way from some depth on. */
static void make_sites(struct maker *maker)
{
    uint32_t(*frames)[DEPTH_MOST] = calloc(maker->site_count, sizeof(*frames));
    must(frames, "out of memory");
    for (uint32_t i = 0; i < maker->site_count; i++) {
        uint32_t const like = i ? (uint32_t)draw(maker, i) : 0;
        uint32_t const depth = DEPTH_LEAST + (uint32_t)draw(maker, DEPTH_MOST - DEPTH_LEAST + 1);
        uint32_t const shared = i ? 1 + (uint32_t)draw(maker, depth - 1) : 0;
        stack_id stack = STACK_EMPTY;
        memcpy(frames[i], frames[like], shared * sizeof(uint32_t));
        for (uint32_t at = shared; at < DEPTH_MOST; at++)
            frames[i][at] = (uint32_t)draw(maker, FRAMES);
        for (uint32_t at = 0; at < depth; at++)
            must(stack_table_push(maker->recording->stacks, stack, frames[i][at], &stack) == 0,
                 "out of memory");
        maker->sites[i] = (struct site){.stack = stack, .block_bytes = 8 + draw_low(maker, 20000)};
    }
    free(frames);
}

static void make_threads(struct maker *maker)
{
    for (uint32_t i = 0; i < THREADS; i++) {
        char name[16];
        snprintf(name, sizeof(name), "worker-%u", i);
        struct thread const thread = {.tid = 4000 + i,
                                      .name = recording_intern(maker->recording, name),
                                      .last_ns = maker->seconds * SECOND,
                                      .merged = 1};
        must(vec_push(&maker->recording->threads, thread), "out of memory");
    }
}

static void put(struct maker *maker, const struct site *site, unsigned column, uint64_t value)
{
    if (value)
        must(
            vec_push(&maker->cells, ((struct cell){site->stack, (uint16_t)column, (int64_t)value})),
            "out of memory");
}

static uint64_t frees_of(struct maker *maker, uint32_t index, uint64_t second, uint64_t calls)
{
    const struct site *site = &maker->sites[index];
    if (index % CACHE_EVERY == 1)
        return second >= maker->seconds * 3 / 4 ? site->live_blocks + calls : 0;
    if (index % LEAKS_EVERY == 2)
        return calls - calls / 100;
    uint64_t const still = draw(maker, calls / 16 + 2); /* for the next time */
    return site->live_blocks + calls - still;
}

static void let_allocate(struct maker *maker, uint32_t index, uint64_t second)
{
    struct site *site = &maker->sites[index];
    uint64_t const calls = 1 + draw_low(maker, index % CACHE_EVERY == 1 ? 20 : 4000);
    uint64_t const frees = frees_of(maker, index, second, calls);
    uint64_t const quick = frees - frees / 5, slow = frees - quick;
    unsigned const lifetime = 2 + index % 7;
    struct totals *heap = &maker->recording->heap;

    put(maker, site, COL_HEAP_CALLS, calls);
    put(maker, site, COL_HEAP_BYTES, calls * site->block_bytes);
    put(maker, site, COL_HEAP_FREES, frees);
    put(maker, site, COL_HEAP_FREED, frees * site->block_bytes);
    put(maker, site, COL_HEAP_TEMPORARY, quick / 3);
    put(maker, site, COL_HEAP_SLACK, calls * SLACK);
    put(maker, site, COL_HEAP_SLACK_FREED, frees * SLACK);
    put(maker, site, COL_SIZE_0 + size_class(site->block_bytes), calls);
    put(maker, site, COL_LIFETIME_0 + lifetime, quick);
    put(maker, site, COL_LIFETIME_0 + lifetime + 1, slow);
    site->live_blocks += calls - frees;
    maker->live_bytes += (calls - frees) * site->block_bytes;
    maker->live_blocks += calls - frees;
    maker->threads[index % THREADS].calls += calls;
    maker->threads[index % THREADS].bytes += calls * site->block_bytes;
    maker->threads[index % THREADS].frees += frees;
    maker->threads[index % THREADS].freed += frees * site->block_bytes;
    heap->calls += calls;
    heap->bytes += calls * site->block_bytes;
    heap->frees += frees;
    heap->freed_bytes += frees * site->block_bytes;
    heap->temporary += quick / 3;
    heap->slack_bytes += calls * SLACK;
    maker->recording->quality.events += calls + frees;
}

static struct cell *collect_threads(struct maker *maker, size_t *count)
{
    struct cell *cells = calloc((size_t)4 * THREADS, sizeof(*cells));
    must(cells, "out of memory");
    *count = 0;
    for (uint32_t i = 0; i < THREADS; i++) {
        cells[(*count)++] = (struct cell){i, COL_HEAP_CALLS, (int64_t)maker->threads[i].calls};
        cells[(*count)++] = (struct cell){i, COL_HEAP_BYTES, (int64_t)maker->threads[i].bytes};
        cells[(*count)++] = (struct cell){i, COL_HEAP_FREES, (int64_t)maker->threads[i].frees};
        cells[(*count)++] = (struct cell){i, COL_HEAP_FREED, (int64_t)maker->threads[i].freed};
    }
    memset(maker->threads, 0, sizeof(maker->threads));
    return cells;
}

static void note_peak(struct maker *maker, uint64_t time_ns)
{
    struct totals *heap = &maker->recording->heap;
    if (maker->live_bytes <= heap->peak_bytes)
        return;
    heap->peak_bytes = maker->live_bytes;
    heap->peak_count = maker->live_blocks;
    heap->peak_slack_bytes = maker->live_blocks * SLACK;
    heap->peak_time_ns = time_ns;
    for (uint32_t i = 0; i < maker->site_count; i++)
        maker->sites[i].peak_blocks = maker->sites[i].live_blocks;
}

static void add_second(struct maker *maker, uint64_t second)
{
    struct recording *recording = maker->recording;
    struct fault fault = {.text = ""};
    uint64_t const least = maker->live_bytes;
    uint32_t const step = maker->site_count / maker->active;
    for (uint32_t i = (uint32_t)draw(maker, step); i < maker->site_count;
         i += 1 + (uint32_t)draw(maker, (uint64_t)2 * step - 1))
        let_allocate(maker, i, second);
    struct bucket bucket = {.begin_ns = second * SECOND,
                            .end_ns = (second + 1) * SECOND,
                            .cells = maker->cells.items,
                            .cell_count = maker->cells.count};
    int64_t const most = (int64_t)(least > maker->live_bytes ? least : maker->live_bytes);
    bucket.gauges = (struct gauges){.rss_bytes = (int64_t)(maker->live_bytes + (64u << 20)),
                                    .heap_live_end = (int64_t)maker->live_bytes,
                                    .heap_live_max = most,
                                    .heap_live_min = (int64_t)(least + maker->live_bytes) - most};
    bucket.thread_cells = collect_threads(maker, &bucket.thread_cell_count);
    recording->duration_ns = bucket.end_ns;
    must(vec_push(&recording->buckets, bucket), "out of memory");
    maker->cells.items = NULL; /* the bucket's now */
    maker->cells.count = maker->cells.room = 0;
    note_peak(maker, bucket.end_ns);
    must(recording_writer_append(maker->writer, recording, &fault) == 0, fault.text);
}

static void add_peak(struct maker *maker)
{
    for (uint32_t i = 0; i < maker->site_count; i++) {
        const struct site *site = &maker->sites[i];
        put(maker, site, COL_HEAP_CALLS, site->peak_blocks);
        put(maker, site, COL_HEAP_BYTES, site->peak_blocks * site->block_bytes);
        put(maker, site, COL_HEAP_SLACK, site->peak_blocks * SLACK);
    }
    struct pin const pin = {.kind = PIN_PEAK,
                            .time_ns = maker->recording->heap.peak_time_ns,
                            .cells = maker->cells.items,
                            .cell_count = maker->cells.count};
    must(vec_push(&maker->recording->pins, pin), "out of memory");
}

static void begin(struct maker *maker, const char *path)
{
    struct fault fault = {.text = ""};
    maker->recording = recording_create();
    maker->sites = calloc(maker->site_count, sizeof(maker->sites[0]));
    must(maker->recording && maker->sites, "out of memory");
    maker->writer = recording_writer_create(path, 0, &fault);
    must(maker->writer, fault.text);
    maker->recording->program = recording_intern(maker->recording, "/usr/bin/node");
    maker->recording->command_line = recording_intern(maker->recording, "node --archive");
    maker->recording->source = recording_intern(maker->recording, "memoir run");
    maker->recording->pid = 4000;
    maker->recording->start_unix_ns = UINT64_C(1700000000) * SECOND;
    maker->recording->page_bytes = 4096;
    maker->recording->machine_bytes = UINT64_C(64) << 30;
}

int main(int argc, char **argv)
{
    struct fault fault = {.text = ""};
    must(argc >= 2 && argc <= 5, "large-recording FILE [SECONDS [STACKS [ACTIVE]]]");
    struct maker maker = {.random = 88172645463325252u,
                          .seconds = argc > 2 ? strtoull(argv[2], NULL, 10) : 6000,
                          .site_count = argc > 3 ? (uint32_t)strtoul(argv[3], NULL, 10) : 20000,
                          .active = argc > 4 ? (uint32_t)strtoul(argv[4], NULL, 10) : 1300};
    must(maker.seconds && maker.active && maker.active <= maker.site_count, "a number is odd");
    begin(&maker, argv[1]);
    make_frames(&maker);
    make_sites(&maker);
    make_threads(&maker);
    for (uint64_t second = 0; second < maker.seconds; second++)
        add_second(&maker, second);
    add_peak(&maker);
    must(recording_writer_finish(maker.writer, maker.recording, &fault) == 0, fault.text);
    free(maker.sites);
    recording_destroy(maker.recording);
    return 0;
}
