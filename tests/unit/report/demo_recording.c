/* SPDX-License-Identifier: Apache-2.0 */
#include "demo_recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/hash.h"

const char *const wild_names[] = {
    "</script><script>alert(1)</script>",
    "]]><svg onload=alert(1)>",
    "a\"b' onmouseover=\"alert(1)",
    "&lt;&amp;&#60;",
    "bad \xff\xfe utf8 \xc3",
    "overlong \xc0\xaf slash, surrogate \xed\xa0\x80, beyond \xf4\x90\x80\x80",
    "control \x01\x02\x1b[31m\n\t end",
    "direction \xe2\x80\xae reversed",
    "\\u003c\\\"};alert(1);//",
    "line\xe2\x80\xa8separator",
    "宽字符函数名称很长很长很长",
    "std::map<std::string, std::vector<int>>::operator[](std::string&&)",
};
const size_t wild_name_count = sizeof(wild_names) / sizeof(wild_names[0]);

static const char *const words[] = {
    "block",  "ledger", "peer",  "state", "cache", "merkle", "vote",  "gossip",
    "header", "trie",   "index", "sync",  "pool",  "store",  "batch", "queue",
};
static const char *const verbs[] = {
    "insert", "decode", "apply", "verify", "commit", "fetch", "append", "resize", "parse", "clone",
};
static const char *const module_paths[] = {
    "/opt/node/bin/ledger-node",
    "/usr/lib/x86_64-linux-gnu/libc.so.6",
    "/usr/lib/x86_64-linux-gnu/libstdc++.so.6.0.30",
    "/opt/node/lib/librocksdb.so.8",
    "/usr/lib/x86_64-linux-gnu/libcrypto.so.3",
};
#define COUNT(array) (sizeof(array) / sizeof((array)[0]))

static uint64_t demo_random(uint64_t *seed)
{
    *seed += 0x9e3779b97f4a7c15u;
    return hash_mix(*seed);
}

static void check(bool ok)
{
    if (!ok)
        abort();
}

static uint32_t add_frame(struct recording *recording, const char *name, uint32_t module)
{
    struct location const location = {.function = recording_intern(recording, name),
                                      .file = recording_intern(recording, "src/node/demo.cc"),
                                      .line = 42};
    struct frame const frame = {.module = module,
                                .first_location = (uint32_t)recording->locations.count,
                                .location_count = 1,
                                .address = 0x1000 + 16 * recording->frames.count};
    check(vec_push(&recording->locations, location));
    check(vec_push(&recording->frames, frame));
    return (uint32_t)recording->frames.count - 1;
}

static void name_frame(char *name, size_t size, const struct demo_shape *shape, uint64_t pick)
{
    if (shape->has_wild_names && pick % 3 == 0)
        snprintf(name, size, "%s", wild_names[(pick >> 8) % wild_name_count]);
    else if (pick % 5 == 1)
        snprintf(name, size, "std::vector<%s_%s>::_M_realloc_insert(%s const&)",
                 words[(pick >> 8) % COUNT(words)], words[(pick >> 16) % COUNT(words)],
                 words[(pick >> 24) % COUNT(words)]);
    else
        snprintf(name, size, "%s_%s%s", words[(pick >> 8) % COUNT(words)],
                 verbs[(pick >> 16) % COUNT(verbs)], pick % 7 == 2 ? "_locked" : "");
}

/* Stacks grow as real ones do: a new one shares most of an earlier one. */
static void add_stacks(struct recording *recording, const struct demo_shape *shape)
{
    uint64_t seed = 7;
    stack_id base = STACK_EMPTY;
    static const char *const entry[] = {"_start", "main", "run_event_loop"};
    for (size_t i = 0; i < COUNT(entry); i++)
        check(!stack_table_push(recording->stacks, base, add_frame(recording, entry[i], 0), &base));
    for (unsigned i = 0; i < shape->stacks; i++) {
        char name[120];
        uint64_t const pick = demo_random(&seed);
        uint32_t const last = stack_table_count(recording->stacks);
        stack_id const caller = base + (uint32_t)(demo_random(&seed) % (last - base + 1));
        stack_id made;
        name_frame(name, sizeof(name), shape, pick);
        uint32_t const module = pick % 4 ? 0 : (uint32_t)((pick >> 40) % COUNT(module_paths));
        check(!stack_table_push(recording->stacks, caller, add_frame(recording, name, module),
                                &made));
    }
}

static void add_cell(struct bucket *bucket, uint32_t key, enum column column, int64_t value)
{
    size_t const count = bucket->cell_count;
    if ((count & (count - 1)) == 0) /* full: twice as many */
        bucket->cells =
            reallocarray(bucket->cells, count ? 2 * count : 1, sizeof(bucket->cells[0]));
    check(bucket->cells);
    bucket->cells[bucket->cell_count++] = (struct cell){key, (uint16_t)column, value};
}

/* A few stacks leak, a few come and go, most take a little and give it back. */
static int64_t fill_bucket(struct recording *recording, struct bucket *bucket, unsigned at,
                           unsigned count)
{
    int64_t live = 0;
    uint32_t const last = stack_table_count(recording->stacks);
    for (stack_id stack = 4; stack <= last; stack++) {
        uint64_t const pick = hash_mix(stack * 77u);
        int64_t const size = (int64_t)(16u << (pick % 14)) * (stack % 97 == 5 ? 40 : 1);
        int64_t const wave = (int64_t)((at * 7 + stack) % 40 < 20);
        bool const leaks = stack % 11 == 4;
        int64_t const calls = leaks ? 2 : 1 + wave;
        int64_t const frees = at == 0 ? 0
                              : leaks ? 1
                                      : 1 + (int64_t)(((at - 1) * 7 + stack) % 40 < 20);
        add_cell(bucket, stack, COL_HEAP_CALLS, calls);
        add_cell(bucket, stack, COL_HEAP_BYTES, calls * size);
        if (frees) {
            add_cell(bucket, stack, COL_HEAP_FREES, frees);
            add_cell(bucket, stack, COL_HEAP_FREED, frees * size);
        }
        live += (calls - frees) * size;
    }
    (void)count;
    return live;
}

static void add_buckets(struct recording *recording, const struct demo_shape *shape)
{
    int64_t live = 0;
    for (unsigned i = 0; i < shape->buckets; i++) {
        struct bucket bucket = {.begin_ns = i * shape->bucket_ns,
                                .end_ns = (i + 1) * shape->bucket_ns};
        int64_t const before = live;
        live += fill_bucket(recording, &bucket, i, shape->buckets);
        int64_t const spike = i % 17 == 9 ? live / 4 : live / 40;
        bucket.gauges = (struct gauges){.rss_bytes = live * 5 / 4 + 3000000,
                                        .heap_live_end = live,
                                        .heap_live_max = (live > before ? live : before) + spike,
                                        .heap_live_min = (live < before ? live : before) * 9 / 10};
        if (shape->has_losses && (i == shape->buckets / 3 || i == shape->buckets * 3 / 4))
            bucket.lost_events = 1234;
        recording->quality.lost_events += bucket.lost_events;
        if (bucket.gauges.heap_live_max > (int64_t)recording->heap.peak_bytes) {
            recording->heap.peak_bytes = (uint64_t)bucket.gauges.heap_live_max;
            recording->heap.calls += bucket.cell_count;
            recording->heap.peak_time_ns = bucket.begin_ns + shape->bucket_ns / 2;
        }
        check(vec_push(&recording->buckets, bucket));
    }
    recording->duration_ns = shape->buckets * shape->bucket_ns;
}

/* What was live at the end of a bucket, as the cells of a pin. */
static struct pin pin_at(struct recording *recording, enum pin_kind kind, uint64_t time_ns)
{
    struct pin pin = {.kind = kind, .time_ns = time_ns};
    uint32_t const last = stack_table_count(recording->stacks);
    int64_t *live = calloc(last + 1, sizeof(live[0]));
    check(live);
    vec_each (bucket, &recording->buckets) {
        if (bucket->begin_ns > time_ns)
            break;
        for (size_t i = 0; i < bucket->cell_count; i++) {
            const struct cell *cell = &bucket->cells[i];
            if (cell->column == COL_HEAP_BYTES)
                live[cell->key] += cell->value;
            if (cell->column == COL_HEAP_FREED)
                live[cell->key] -= cell->value;
        }
    }
    pin.cells = calloc(2 * (size_t)last, sizeof(pin.cells[0]));
    check(pin.cells);
    for (uint32_t stack = 1; stack <= last; stack++) {
        if (live[stack] == 0)
            continue;
        pin.cells[pin.cell_count++] = (struct cell){stack, COL_HEAP_CALLS, 1};
        pin.cells[pin.cell_count++] = (struct cell){stack, COL_HEAP_BYTES, live[stack]};
    }
    free(live);
    return pin;
}

struct recording *demo_create(const struct demo_shape *shape)
{
    struct recording *recording = recording_create();
    check(recording);
    recording->program = recording_intern(recording, module_paths[0]);
    recording->pid = 4711;
    recording->start_unix_ns = 1763200000000000000u;
    for (size_t i = 0; i < COUNT(module_paths); i++) {
        struct module const module = {.path = recording_intern(recording, module_paths[i])};
        check(vec_push(&recording->modules, module));
    }
    recording->quality.complete = !shape->has_losses;
    recording->quality.stack_ends[STACK_END_COMPLETE] = 100000;
    recording->quality.stack_ends[STACK_END_NO_RULE] = shape->has_losses ? 40 : 0;
    add_stacks(recording, shape);
    add_buckets(recording, shape);
    check(vec_push(&recording->pins, pin_at(recording, PIN_PEAK, recording->heap.peak_time_ns)));
    if (shape->dies) {
        struct pin pin = pin_at(recording, PIN_DEATH, recording->duration_ns);
        pin.label = recording_intern(recording, "killed by SIGKILL");
        check(vec_push(&recording->pins, pin));
    }
    return recording;
}
