/* SPDX-License-Identifier: Apache-2.0 */
#include "timed_recording.h"

#include <stdlib.h>

#define MS      UINT64_C(1000000)
#define SEC     UINT64_C(1000000000)
#define SECONDS 4

enum { MODULE_GRINDER, MODULE_KERNEL };

static void must(bool ok)
{
    if (!ok)
        abort();
}

static uint32_t add_frame(struct recording *recording, uint32_t module, const char *function)
{
    struct location const location = {.function = recording_intern(recording, function)};
    struct frame const frame = {.module = module,
                                .first_location = (uint32_t)recording->locations.count,
                                .location_count = 1,
                                .address = 0x1000 + 16 * recording->frames.count};
    must(vec_push(&recording->locations, location));
    must(vec_push(&recording->frames, frame));
    return (uint32_t)recording->frames.count - 1;
}

static stack_id push(struct recording *recording, stack_id caller, uint32_t frame)
{
    stack_id id;
    must(stack_table_push(recording->stacks, caller, frame, &id) == 0);
    return id;
}

static void add_stacks(struct timed *timed)
{
    struct recording *r = timed->recording;
    stack_id const in_main = push(r, STACK_EMPTY, add_frame(r, MODULE_GRINDER, "main"));
    stack_id const handle = push(r, in_main, add_frame(r, MODULE_GRINDER, "handle"));
    stack_id const idle = push(r, in_main, add_frame(r, MODULE_GRINDER, "idle"));
    stack_id const reading = push(r, handle, add_frame(r, MODULE_GRINDER, "read"));
    timed->stacks[TIMED_GRIND] = push(r, handle, add_frame(r, MODULE_GRINDER, "parse"));
    timed->stacks[TIMED_HASH] = push(r, handle, add_frame(r, MODULE_GRINDER, "hash"));
    timed->stacks[TIMED_POLL] = push(r, idle, add_frame(r, MODULE_KERNEL, "do_sys_poll"));
    timed->stacks[TIMED_WAIT] = push(r, reading, add_frame(r, MODULE_NONE, "[waits: disk]"));
}

static void add_cell(struct cell **cells, size_t *count, struct cell cell)
{
    for (size_t i = 0; i < *count; i++) {
        if ((*cells)[i].key == cell.key && (*cells)[i].column == cell.column) {
            (*cells)[i].value += cell.value;
            return;
        }
    }
    must((*cells = reallocarray(*cells, *count + 1, sizeof(cell))) != NULL);
    (*cells)[(*count)++] = cell;
}

void timed_add(struct recording *recording, struct moment moment, uint64_t time_ns)
{
    bool const is_wait = moment.column == COL_OFFCPU_NS;
    uint16_t const counts = is_wait ? COL_OFFCPU_COUNT : COL_CPU_SAMPLES;
    struct bucket *bucket = recording->buckets.items;
    while (bucket->end_ns <= time_ns)
        bucket++;
    if (moment.after_ns != MOMENT_TIMELESS)
        moment.after_ns = time_ns - bucket->begin_ns;
    must((bucket->moments =
              reallocarray(bucket->moments, bucket->moment_count + 1, sizeof(moment))) != NULL);
    bucket->moments[bucket->moment_count++] = moment;
    add_cell(&bucket->cells, &bucket->cell_count,
             (struct cell){moment.stack, moment.column, moment.value});
    add_cell(&bucket->cells, &bucket->cell_count,
             (struct cell){moment.stack, counts, moment.count});
    add_cell(&bucket->thread_cells, &bucket->thread_cell_count,
             (struct cell){moment.thread, moment.column, moment.value});
    add_cell(&bucket->thread_cells, &bucket->thread_cell_count,
             (struct cell){moment.thread, counts, moment.count});
}

static void add_moments(const struct timed *timed)
{
    struct recording *r = timed->recording;
    struct moment sample = {
        .count = 1, .column = COL_CPU_NS, .value = 10 * MS, .stack = timed->stacks[TIMED_GRIND]};
    for (uint64_t ms = 0; ms < 1000 * SECONDS; ms += 10)
        timed_add(r, sample, ms * MS);
    sample.thread = 1;
    sample.stack = timed->stacks[TIMED_HASH];
    for (uint64_t ms = 1000; ms < 1200; ms += 10)
        timed_add(r, sample, ms * MS);
    sample.thread = 2;
    timed_add(r, (struct moment){MOMENT_TIMELESS, 2, sample.stack, 10, COL_CPU_NS, 100 * MS},
              3 * SEC);
    sample.stack = timed->stacks[TIMED_POLL];
    timed_add(r, sample, 500 * MS);
    struct moment wait = {
        .thread = 1, .stack = timed->stacks[TIMED_WAIT], .count = 1, .column = COL_OFFCPU_NS};
    wait.value = 300 * MS;
    timed_add(r, wait, 2500 * MS);
    wait.value = 50 * MS;
    timed_add(r, wait, 3900 * MS);
}

static void add_thread(struct recording *recording, uint32_t tid, const char *name)
{
    struct thread const thread = {.tid = tid,
                                  .name = recording_intern(recording, name),
                                  .last_ns = SECONDS * SEC,
                                  .merged = 1};
    must(vec_push(&recording->threads, thread));
}

struct timed timed_create(void)
{
    struct timed timed = {.recording = recording_create()};
    struct recording *r = timed.recording;
    must(r != NULL);
    r->program = recording_intern(r, "/usr/bin/grinder");
    r->source = recording_intern(r, SOURCE_CPU);
    r->pid = 100;
    r->duration_ns = SECONDS * SEC;
    r->quality.complete = true;
    r->timing = (struct timing){.hz = 100, .samples = 431, .cpu_ns = 4310 * MS, .waits = 2};
    must(vec_push(&r->modules, (struct module){.path = recording_intern(r, "/usr/bin/grinder")}));
    must(vec_push(&r->modules, (struct module){.path = recording_intern(r, KERNEL_PATH)}));
    add_thread(r, 100, "main");
    add_thread(r, 101, "worker-1");
    add_thread(r, 102, "worker-2");
    add_stacks(&timed);
    for (uint64_t i = 0; i < SECONDS; i++)
        must(vec_push(&r->buckets, (struct bucket){.begin_ns = i * SEC,
                                                   .end_ns = (i + 1) * SEC,
                                                   .gauges = {-1, -1, -1, -1}}));
    add_moments(&timed);
    return timed;
}

void timed_destroy(struct timed *timed)
{
    recording_destroy(timed->recording);
    timed->recording = NULL;
}
