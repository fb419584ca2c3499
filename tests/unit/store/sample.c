/* SPDX-License-Identifier: Apache-2.0 */
#include "sample.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/hash.h"

#include "check.h"

static string_id text(struct recording *recording, const char *prefix, unsigned round)
{
    char buffer[128];
    snprintf(buffer, sizeof(buffer), "%s%u", prefix, round);
    return recording_intern(recording, buffer);
}

void sample_add_tables(struct recording *recording, unsigned round)
{
    struct module module = {.path = text(recording, "/usr/lib/lib.so.", round),
                            .build_id = text(recording, "0a0b0c", round),
                            .start = 0x7f0000000000u + round * 0x100000u,
                            .bias = 0x7f0000000000u + round * 0x100000u};
    module.end = module.start + 0x8000;
    CHECK(vec_push(&recording->modules, module));
    struct thread thread = {.tid = 1000 + round,
                            .name = text(recording, "worker-", round),
                            .first_ns = round * 5,
                            .last_ns = round * 7,
                            .merged = 1 + round % 3};
    CHECK(vec_push(&recording->threads, thread));
    stack_id id = STACK_EMPTY;
    for (unsigned i = 0; i < 6; i++) {
        struct location inlined = {.function = text(recording, "inlined_", round * 6 + i),
                                   .file = text(recording, "src/file.c.", round),
                                   .line = 10 * i};
        struct location real = {.function = text(recording, "outer_", round * 6 + i),
                                .symbol = text(recording, "_Z5outer", round * 6 + i),
                                .file = inlined.file,
                                .line = 100 * i + 1};
        uint32_t first = (uint32_t)recording->locations.count;
        CHECK(vec_push(&recording->locations, inlined) && vec_push(&recording->locations, real));
        struct frame frame = {.module = i == 5 ? MODULE_NONE : round,
                              .first_location = first,
                              .location_count = i % 3,
                              .address = 0x1000 + round * 64 + i};
        CHECK(vec_push(&recording->frames, frame));
        CHECK(stack_table_push(recording->stacks, id, (uint32_t)recording->frames.count - 1, &id) ==
              0);
    }
    struct trait trait = {.kind = round % 2 ? TRAIT_GO : TRAIT_MIMALLOC,
                          .in_executable = round % 3 == 0,
                          .is_seen = round % 4 == 0,
                          .where = text(recording, "/usr/bin/node", round)};
    if (recording->traits.count < TRAITS_MAX)
        CHECK(vec_push(&recording->traits, trait));
    struct mapping mapping = {.start = UINT64_C(0x1000000) * (round + 1),
                              .end = UINT64_C(0x1000000) * (round + 1) + 4096 * (round + 3),
                              .resident = 4096 * round,
                              .name = text(recording, "/usr/lib/mapped", round),
                              .stack = id,
                              .count = 1 + round % 5,
                              .rights = (uint8_t)(round % 16),
                              .owner = (uint8_t)(round % OWNER_KINDS)};
    if (recording->mappings.items.count < 40)
        CHECK(vec_push(&recording->mappings.items, mapping));
    recording->mappings.time_ns = 10 * round + 1;
    CHECK(vec_push(&recording->notes, text(recording, "note ", round)));
    string_id phase = text(recording, "phase ", round);
    marks_add(&recording->marks, MARK_BEGIN, phase, 10 * round);
    marks_add(&recording->marks, MARK_INSTANT, text(recording, "block ", round), 10 * round + 3);
    if (round % 3)
        marks_add(&recording->marks, MARK_END, phase, 10 * round + 5);
}

static struct cell *make_cells(size_t count, uint32_t keys, unsigned seed)
{
    struct cell *cells = malloc((count ? count : 1) * sizeof(cells[0]));
    for (size_t i = 0; i < count; i++) {
        uint64_t random = hash_mix(seed * 1000003u + i);
        cells[i] = (struct cell){.key = (uint32_t)(random % keys),
                                 .column = (uint16_t)(1 + (random >> 32) % 12),
                                 .value = (int64_t)(random >> 40) - 1000};
    }
    return cells;
}

static struct moment *make_moments(const struct recording *recording, size_t count, unsigned seed)
{
    struct moment *moments = calloc(count + 1, sizeof(*moments));
    uint32_t const threads = (uint32_t)recording->threads.count;
    for (size_t i = 0; i < count; i++)
        moments[i] = (struct moment){
            .after_ns = i % 9 == 8 ? MOMENT_TIMELESS : (uint64_t)((i * 7919 + seed) % 997) * 1000,
            .thread = threads ? (uint32_t)(i + seed) % threads : 0,
            .stack = (uint32_t)(i * 31 + seed) % (stack_table_count(recording->stacks) + 1),
            .count = 1 + (uint32_t)i % 3,
            .column = i % 2 ? COL_CPU_NS : COL_OFFCPU_NS,
            .value = (int64_t)(10101010 + seed + i)};
    return moments;
}

void sample_add_bucket(struct recording *recording, uint64_t width_ns, size_t cells, unsigned seed)
{
    size_t count = recording->buckets.count;
    uint64_t begin = count > 0 ? recording->buckets.items[count - 1].end_ns : 0;
    struct bucket bucket = {.begin_ns = begin,
                            .end_ns = begin + width_ns,
                            .gauges = {4096 + seed, 100 + seed, 200 + seed, 50 + seed},
                            .pss_bytes = seed % 3 ? 4000 + seed : 0, /* not always read */
                            .lost_events = seed % 7,
                            .cell_count = cells,
                            .thread_cell_count = cells / 4};
    if (cells > 0)
        bucket.cells = make_cells(cells, stack_table_count(recording->stacks) + 1, seed);
    if (cells / 4 > 0)
        bucket.thread_cells =
            make_cells(cells / 4, (uint32_t)recording->threads.count, seed + 77777);
    bucket.moments = make_moments(recording, cells / 3, seed);
    bucket.moment_count = cells / 3;
    CHECK(vec_push(&recording->buckets, bucket));
    recording->duration_ns = bucket.end_ns;
}

void sample_set_pin(struct recording *recording, size_t slot, struct pin pin, size_t cells)
{
    pin.cells = make_cells(cells, stack_table_count(recording->stacks) + 1, (unsigned)pin.time_ns);
    pin.cell_count = cells;
    pin.thread_cells = make_cells(1, (uint32_t)recording->threads.count, (unsigned)pin.time_ns);
    pin.thread_cell_count = 1;
    if (slot < recording->pins.count) {
        free(recording->pins.items[slot].cells);
        free(recording->pins.items[slot].thread_cells);
        recording->pins.items[slot] = pin;
    } else {
        CHECK(vec_push(&recording->pins, pin));
    }
}

void sample_fill_state(struct recording *recording)
{
    uint64_t next = 1000;
    uint64_t *heap = (uint64_t *)&recording->heap, *maps = (uint64_t *)&recording->maps;
    for (size_t i = 0; i < sizeof(recording->heap) / sizeof(uint64_t); i++) {
        heap[i] = next++;
        maps[i] = next++ << 20;
    }
    uint64_t *timing = (uint64_t *)&recording->timing;
    for (size_t i = 0; i < sizeof(recording->timing) / sizeof(uint64_t); i++)
        timing[i] = next++ << 7;
    uint64_t *cost = (uint64_t *)&recording->cost;
    for (size_t i = 0; i < sizeof(recording->cost) / sizeof(uint64_t); i++)
        cost[i] = next++ << 33;
    recording->quality = (struct quality){.events = 1,
                                          .lost_events = 2,
                                          .lost_calls = 3,
                                          .lost_bytes = 4,
                                          .implied_frees = 5,
                                          .unknown_frees = 6,
                                          .stack_ends = {7, 8, 9, 10, 11},
                                          .collapsed_stacks = UINT64_MAX};
    recording->program = recording_intern(recording, "ledgerd");
    recording->command_line = recording_intern(recording, "ledgerd --port 7777");
    recording->host = recording_intern(recording, "node-3");
    recording->source = recording_intern(recording, "memoir run");
    recording->anon_peak_bytes = 7ull << 40;
    recording->before = (struct before){1, 2, 3, UINT64_MAX, 5, 6};
    recording->pid = 4711;
    recording->parent_pid = 1;
    recording->start_unix_ns = 1700000000123456789u;
    recording->exit_status = 9;
    recording->end = END_OVER;
    recording->page_bytes = 4096;
    recording->machine_bytes = UINT64_C(1) << 36;
}

char *sample_path(void)
{
    char folder[] = "/tmp/memoir-store-XXXXXX";
    char *path = NULL;
    CHECK(mkdtemp(folder) != NULL);
    CHECK(asprintf(&path, "%s/sample.memoir", folder) > 0);
    return path;
}

void sample_forget_path(char *path)
{
    unlink(path);
    *strrchr(path, '/') = '\0';
    CHECK(rmdir(path) == 0); /* also proves that no temporary file was left */
    free(path);
}

unsigned char *sample_slurp(const char *path, size_t *size)
{
    FILE *file = fopen(path, "rb");
    CHECK(file != NULL && fseek(file, 0, SEEK_END) == 0);
    *size = (size_t)ftell(file);
    rewind(file);
    unsigned char *data = malloc(*size + 1);
    CHECK(fread(data, 1, *size, file) == *size);
    fclose(file);
    return data;
}

static uint64_t weigh(const struct cell *cells, size_t count)
{
    uint64_t sum = 0;
    for (size_t i = 0; i < count; i++)
        sum += (uint64_t)cells[i].value *
               (hash_mix((uint64_t)cells[i].column << 32 | cells[i].key) | 1);
    return sum;
}

void sample_sum_bucket(struct sample_sums *sums, const struct bucket *bucket)
{
    sums->cells += weigh(bucket->cells, bucket->cell_count);
    sums->thread_cells += weigh(bucket->thread_cells, bucket->thread_cell_count);
    for (size_t i = 0; i < bucket->moment_count; i++) {
        const struct moment *moment = &bucket->moments[i];
        sums->moments += ((uint64_t)moment->value + moment->count) *
                         (1 + moment->thread * 31 + moment->stack * 1009 + moment->column);
    }
    sums->lost_events += bucket->lost_events;
    if (bucket->gauges.heap_live_max > sums->live_max)
        sums->live_max = bucket->gauges.heap_live_max;
}

struct sample_sums sample_sum(struct recording *recording)
{
    struct sample_sums sums = {.live_max = -1};
    vec_each (bucket, &recording->buckets) {
        struct fault fault = {0};
        if (recording_load_bucket(recording, bucket, &fault) < 0)
            fail_msg("%s", fault.text);
        sample_sum_bucket(&sums, bucket);
        recording_unload_bucket(recording, bucket);
    }
    return sums;
}

static void check_same_text(struct recording *a, string_id x, struct recording *b, string_id y)
{
    assert_string_equal(recording_text(a, x), recording_text(b, y));
}

static void check_same_locations(struct recording *a, struct recording *b)
{
    assert_int_equal(a->locations.count, b->locations.count);
    for (size_t i = 0; i < a->locations.count; i++)
        assert_memory_equal(&a->locations.items[i], &b->locations.items[i],
                            sizeof(struct location));
    assert_int_equal(a->frames.count, b->frames.count);
    for (size_t i = 0; i < a->frames.count; i++) {
        const struct frame *x = &a->frames.items[i], *y = &b->frames.items[i];
        CHECK(x->module == y->module && x->address == y->address &&
              x->location_count == y->location_count);
        CHECK(x->location_count == 0 || x->first_location == y->first_location);
    }
}

void sample_check_equal_tables(struct recording *a, struct recording *b)
{
    assert_int_equal(string_table_count(a->strings), string_table_count(b->strings));
    for (string_id id = 0; id <= string_table_count(a->strings); id++)
        check_same_text(a, id, b, id);
    assert_int_equal(a->modules.count, b->modules.count);
    for (size_t i = 0; i < a->modules.count; i++)
        assert_memory_equal(&a->modules.items[i], &b->modules.items[i], sizeof(struct module));
    check_same_locations(a, b);
    assert_int_equal(stack_table_count(a->stacks), stack_table_count(b->stacks));
    for (stack_id id = 1; id <= stack_table_count(a->stacks); id++) {
        struct stack_link x = stack_table_innermost(a->stacks, id);
        struct stack_link y = stack_table_innermost(b->stacks, id);
        CHECK(x.frame == y.frame && x.caller == y.caller);
    }
    assert_int_equal(a->threads.count, b->threads.count);
    for (size_t i = 0; i < a->threads.count; i++) {
        const struct thread *x = &a->threads.items[i], *y = &b->threads.items[i];
        CHECK(x->tid == y->tid && x->name == y->name && x->first_ns == y->first_ns &&
              x->last_ns == y->last_ns && x->merged == y->merged);
    }
    assert_int_equal(a->traits.count, b->traits.count);
    for (size_t i = 0; i < a->traits.count; i++)
        CHECK(a->traits.items[i].kind == b->traits.items[i].kind &&
              a->traits.items[i].in_executable == b->traits.items[i].in_executable &&
              a->traits.items[i].is_seen == b->traits.items[i].is_seen &&
              a->traits.items[i].where == b->traits.items[i].where);
    assert_int_equal(a->mappings.time_ns, b->mappings.time_ns);
    assert_int_equal(a->mappings.items.count, b->mappings.items.count);
    for (size_t i = 0; i < a->mappings.items.count; i++) {
        const struct mapping *x = &a->mappings.items.items[i], *y = &b->mappings.items.items[i];
        CHECK(x->start == y->start && x->end == y->end && x->resident == y->resident);
        CHECK(x->name == y->name && x->stack == y->stack && x->count == y->count);
        CHECK(x->rights == y->rights && x->owner == y->owner);
    }
    assert_int_equal(a->marks.count, b->marks.count);
    for (size_t i = 0; i < a->marks.count; i++) {
        const struct mark *x = &a->marks.items[i], *y = &b->marks.items[i];
        CHECK(x->number == y->number && x->begin == y->begin && x->kind == y->kind &&
              x->label == y->label && x->time_ns == y->time_ns);
    }
    assert_int_equal(a->notes.count, b->notes.count);
    for (size_t i = 0; i < a->notes.count; i++)
        CHECK(a->notes.items[i] == b->notes.items[i]);
}
