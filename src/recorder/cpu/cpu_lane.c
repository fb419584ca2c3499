/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/cpu_lane.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "procfs/process/process_facts.h"
#include "stacks/stack_intern.h"

#define NEWS_MAX    ((size_t)1 << 18)
#define THREADS_MAX 4096u /* rows of a recording */

static uint32_t claim_place(struct cpu_lane *lane)
{
    for (size_t i = 0; i < lane->threads.count; i++)
        if (lane->threads.items[i].is_free)
            return (uint32_t)i;
    return vec_push(&lane->threads, (struct cpu_thread){.tid = 0})
               ? (uint32_t)lane->threads.count - 1
               : UINT32_MAX;
}

uint32_t cpu_lane_thread(struct cpu_lane *lane, uint32_t pid, uint32_t tid)
{
    uint32_t *known = number_map_at(&lane->index, tid);
    if (!known)
        return UINT32_MAX;
    if (*known && !lane->threads.items[*known - 1].has_ended)
        return *known - 1;
    uint32_t const place = claim_place(lane);
    if (place == UINT32_MAX)
        return place;
    *known = place + 1;
    lane->threads.items[place] = (struct cpu_thread){.pid = pid, .tid = tid};
    process_thread_name(pid, tid, lane->threads.items[place].name,
                        sizeof(lane->threads.items[place].name));
    return place;
}

void cpu_lane_name(struct cpu_lane *lane, uint32_t pid, uint32_t tid, const char *name)
{
    uint32_t const place = tid ? cpu_lane_thread(lane, pid, tid) : UINT32_MAX;
    if (place == UINT32_MAX)
        return;
    struct cpu_thread *thread = &lane->threads.items[place];
    snprintf(thread->name, sizeof(thread->name), "%s", name);
    process_name_mend_of(pid, thread->name, sizeof(thread->name));
    thread->is_new_name = true;
}

uint32_t cpu_lane_known_thread(const struct cpu_lane *lane, uint32_t tid)
{
    return (tid ? number_map_get(&lane->index, tid) : 0) - 1;
}

void cpu_lane_end_thread(struct cpu_lane *lane, uint32_t tid)
{
    uint32_t const known = tid ? number_map_get(&lane->index, tid) : 0;
    if (known)
        lane->threads.items[known - 1].has_ended = true;
}

static int by_owner(const void *left, const void *right)
{
    const struct cpu_news *a = left, *b = right;
    if (a->stack != b->stack)
        return a->stack < b->stack ? -1 : 1;
    if (a->column != b->column)
        return a->column < b->column ? -1 : 1;
    if (a->is_settled != b->is_settled)
        return a->is_settled ? -1 : 1;
    return a->thread < b->thread ? -1 : a->thread > b->thread;
}

/* Those of one thread, stack and column become their sum. */
static void compact(struct cpu_lane *lane)
{
    size_t kept = 0;
    qsort(lane->news.items, lane->news.count, sizeof(struct cpu_news), by_owner);
    for (size_t i = 1; i < lane->news.count; i++) {
        struct cpu_news *sum = &lane->news.items[kept];
        const struct cpu_news *next = &lane->news.items[i];
        if (by_owner(sum, next) != 0) {
            lane->news.items[++kept] = *next;
            continue;
        }
        sum->time_ns = 0;
        sum->count += next->count;
        sum->value_ns += next->value_ns;
    }
    lane->news.count = kept + 1;
}

int cpu_lane_add(struct cpu_lane *lane, const struct cpu_news *news)
{
    if (lane->news.count >= NEWS_MAX)
        compact(lane);
    return vec_push(&lane->news, *news) ? 0 : -ENOMEM;
}

static bool is_unsettled(const struct cpu_lane *lane, const struct cpu_news *news, uint32_t pid)
{
    return news->column == COL_CPU_NS && !news->is_settled &&
           lane->threads.items[news->thread].pid == pid;
}

uint64_t cpu_lane_unsettled_ns(const struct cpu_lane *lane, uint32_t pid)
{
    uint64_t sum = 0;
    vec_each (news, &lane->news)
        sum += is_unsettled(lane, news, pid) ? news->value_ns : 0;
    return sum;
}

void cpu_lane_settle(struct cpu_lane *lane, uint32_t pid, double ratio)
{
    vec_each (news, &lane->news) {
        if (!is_unsettled(lane, news, pid))
            continue;
        news->value_ns = (uint64_t)((double)news->value_ns * ratio);
        news->is_settled = true;
    }
}

/* Rows and stacks are numbers of one recording. */
static void forget_recording(struct cpu_lane *lane)
{
    stack_intern_destroy(lane->intern);
    lane->intern = NULL;
    lane->recording = NULL;
    vec_each (thread, &lane->threads)
        thread->row = 0;
}

void cpu_lane_forget(struct cpu_lane *lane)
{
    forget_recording(lane);
    lane->news.count = 0;
}

void cpu_lane_fini(struct cpu_lane *lane)
{
    cpu_lane_forget(lane);
    vec_free(&lane->news);
    vec_free(&lane->threads);
    number_map_fini(&lane->index);
}

/* --- into a recording --- */

static uint64_t time_in(const struct cpu_target *target, uint64_t time_ns)
{
    return time_ns > target->bucket_begin_ns ? time_ns - target->bucket_begin_ns : 0;
}

static int make_row(const struct cpu_target *target, struct cpu_thread *thread, uint64_t now)
{
    struct recording *recording = target->recording;
    for (size_t i = recording->threads.count; i-- > 0 && !thread->row;)
        if (recording->threads.items[i].tid == thread->tid &&
            recording->threads.items[i].last_ns <= now)
            thread->row = (uint32_t)i + 1;
    if (thread->row)
        return 0;
    if (recording->threads.count >= THREADS_MAX) {
        struct thread *last = &recording->threads.items[THREADS_MAX - 1];
        last->name = recording_intern(recording, "other threads");
        last->merged++;
        thread->row = THREADS_MAX;
        return 0;
    }
    struct thread const row = {.tid = thread->tid,
                               .name = recording_intern(recording, thread->name),
                               .first_ns = now,
                               .last_ns = now,
                               .merged = 1};
    if (!vec_push(&recording->threads, row))
        return -ENOMEM;
    thread->row = (uint32_t)recording->threads.count;
    return 0;
}

/* The row of a thread; it is there until then at least. */
static int find_row(const struct cpu_target *target, struct cpu_thread *thread, uint64_t time_ns,
                    uint32_t *row)
{
    uint64_t const now = target->bucket->begin_ns + time_in(target, time_ns);
    bool const is_new = thread->row == 0;
    if (is_new && make_row(target, thread, now) < 0)
        return -ENOMEM;
    struct thread *known = &target->recording->threads.items[thread->row - 1];
    if (known->last_ns < now)
        known->last_ns = now;
    if ((thread->is_new_name || is_new) && known->merged == 1 && thread->name[0])
        known->name = recording_intern(target->recording, thread->name);
    thread->is_new_name = false;
    *row = thread->row - 1;
    return 0;
}

static int by_cell(const void *left, const void *right)
{
    const struct cell *a = left, *b = right;
    if (a->key != b->key)
        return a->key < b->key ? -1 : 1;
    return a->column < b->column ? -1 : a->column > b->column;
}

/* Puts `count` more cells behind those of a list, one for each key and column. */
static int append_cells(struct cell **cells, size_t *cell_count, struct cell *more, size_t count)
{
    size_t kept = 0;
    if (count == 0)
        return 0;
    qsort(more, count, sizeof(*more), by_cell);
    for (size_t i = 1; i < count; i++) {
        if (by_cell(&more[kept], &more[i]) == 0)
            more[kept].value += more[i].value;
        else
            more[++kept] = more[i];
    }
    struct cell *grown = reallocarray(*cells, *cell_count + kept + 1, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    memcpy(grown + *cell_count, more, (kept + 1) * sizeof(*more));
    *cells = grown;
    *cell_count += kept + 1;
    return 0;
}

static int by_time(const void *left, const void *right)
{
    const struct moment *a = left, *b = right;
    return a->after_ns < b->after_ns ? -1 : a->after_ns > b->after_ns;
}

static int append_moments(struct bucket *bucket, const struct moment *more, size_t count)
{
    struct moment *grown =
        reallocarray(bucket->moments, bucket->moment_count + count, sizeof(*grown));
    if (!grown)
        return -ENOMEM;
    memcpy(grown + bucket->moment_count, more, count * sizeof(*more));
    bucket->moments = grown;
    bucket->moment_count += count;
    qsort(grown, bucket->moment_count, sizeof(*grown), by_time);
    return 0;
}

/* The cells of a moment, by `key`: how often and how long. */
static void make_cells(const struct moment *moment, uint32_t key, struct cell *cells)
{
    uint16_t const counts = moment->column == COL_CPU_NS ? COL_CPU_SAMPLES : COL_OFFCPU_COUNT;
    cells[0] = (struct cell){key, moment->column, moment->value};
    cells[1] = (struct cell){key, counts, moment->count};
}

struct collecting {
    struct moment *moments;
    struct cell *cells, *thread_cells; /* two per moment */
};

static int translate(struct cpu_lane *lane, const struct recording *stacks,
                     const struct cpu_target *target, struct collecting *collecting)
{
    for (size_t i = 0; i < lane->news.count; i++) {
        const struct cpu_news *news = &lane->news.items[i];
        struct moment *moment = &collecting->moments[i];
        *moment = (struct moment){.after_ns = news->time_ns ? time_in(target, news->time_ns)
                                                            : MOMENT_TIMELESS,
                                  .count = news->count,
                                  .column = news->column,
                                  .value = (int64_t)news->value_ns};
        if (find_row(target, &lane->threads.items[news->thread], news->time_ns, &moment->thread) <
                0 ||
            stack_intern_carry(lane->intern, stacks, news->stack, &moment->stack) < 0)
            return -ENOMEM;
        make_cells(moment, moment->stack, &collecting->cells[2 * i]);
        make_cells(moment, moment->thread, &collecting->thread_cells[2 * i]);
    }
    return 0;
}

static void clear(struct cpu_lane *lane)
{
    lane->news.count = 0;
    for (size_t i = 0; i < lane->threads.count; i++) {
        struct cpu_thread *thread = &lane->threads.items[i];
        if (!thread->has_ended || thread->is_free)
            continue;
        thread->is_free = true;
        if (number_map_get(&lane->index, thread->tid) == i + 1)
            number_map_remove(&lane->index, thread->tid);
    }
}

static void bind(struct cpu_lane *lane, struct recording *recording)
{
    if (lane->recording != recording)
        forget_recording(lane);
    if (!lane->intern)
        lane->intern = stack_intern_create(recording);
    lane->recording = recording;
}

int cpu_lane_collect(struct cpu_lane *lane, const struct recording *stacks,
                     const struct cpu_target *target)
{
    size_t const count = lane->news.count;
    struct bucket *bucket = target->bucket;
    if (count == 0) {
        clear(lane);
        return 0;
    }
    bind(lane, target->recording);
    struct collecting collecting = {.moments = calloc(count, sizeof(struct moment)),
                                    .cells = calloc(2 * count, sizeof(struct cell)),
                                    .thread_cells = calloc(2 * count, sizeof(struct cell))};
    int err = lane->intern && collecting.moments && collecting.cells && collecting.thread_cells
                  ? 0
                  : -ENOMEM;
    if (err == 0)
        err = translate(lane, stacks, target, &collecting);
    if (err == 0)
        err = append_cells(&bucket->cells, &bucket->cell_count, collecting.cells, 2 * count);
    if (err == 0)
        err = append_cells(&bucket->thread_cells, &bucket->thread_cell_count,
                           collecting.thread_cells, 2 * count);
    if (err == 0)
        err = append_moments(bucket, collecting.moments, count);
    if (err == 0)
        clear(lane);
    free(collecting.moments);
    free(collecting.cells);
    free(collecting.thread_cells);
    return err;
}
