/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/running.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "base/invariant.h"
#include "model/memory/page_kind.h"

#define PACE_BUCKETS 64u
#define PACE_NS      UINT64_C(5000000000)
#define PAGES_FIRST  COL_SIZE_0 /* Histograms and owners have no running sums. */
#define SUMS         (PAGES_FIRST + PAGE_KINDS)
#define SUM_NONE     UINT32_MAX

/* Unsigned, so that nonsense in a damaged file wraps instead of trapping. */
struct column_sums {
    uint64_t *now;  /* Indexed by stack; NULL while the column is not used. */
    uint64_t *mark; /* Values at the mark; NULL: all 0. */
};

/* Index of the sums that a column is added to.  Pages that came and pages that went share one array
 * per kind: only their difference is used, and a page recording uses all kinds. */
static uint32_t sums_of_column(unsigned column)
{
    if (column < PAGES_FIRST)
        return column;
    if (column < COL_PAGES_0 || column >= COL_PAGES_0 + 2 * PAGE_KINDS)
        return SUM_NONE;
    INVARIANT((column - COL_PAGES_0) / 2 < PAGE_KINDS);
    return PAGES_FIRST + (column - COL_PAGES_0) / 2;
}

static bool is_subtracted(unsigned column)
{
    return column >= COL_PAGES_0 && (column - COL_PAGES_0) % 2 == 1;
}

struct running_stretch {
    uint64_t begin_ns, end_ns;
    uint64_t sums[COL_HEAP_FREED + 1]; /* calls, bytes, frees and freed bytes, by column */
};

struct running {
    struct column_sums columns[SUMS];
    size_t stacks, room; /* Number of stacks, and capacity of each array. */
    uint64_t to_ns, mark_ns;
    struct running_stretch stretches[PACE_BUCKETS];
    size_t stretch_count; /* Number ever added; the ring keeps the last ones. */
};

struct running *running_create(void)
{
    return calloc(1, sizeof(struct running));
}

void running_destroy(struct running *running)
{
    if (!running)
        return;
    for (size_t i = 0; i < SUMS; i++) {
        free(running->columns[i].now);
        free(running->columns[i].mark);
    }
    free(running);
}

uint64_t running_time(const struct running *running)
{
    return running->to_ns;
}

uint64_t running_mark_time(const struct running *running)
{
    return running->mark_ns;
}

/* Enlarges the array and fills the new part with zeroes. */
static bool grow_array(uint64_t **array, size_t from, size_t to)
{
    INVARIANT(from < to);
    uint64_t *grown = reallocarray(*array, to, sizeof(uint64_t));
    if (!grown)
        return false;
    memset(grown + from, 0, (to - from) * sizeof(uint64_t));
    *array = grown;
    return true;
}

/* Stacks keep coming, so arrays double. */
static int make_room(struct running *running, size_t stacks)
{
    size_t room = running->room ? running->room : 1024;
    while (room < stacks)
        room *= 2;
    if (room == running->room)
        return 0;
    for (size_t i = 0; i < SUMS; i++) {
        struct column_sums *sums = &running->columns[i];
        if ((sums->now && !grow_array(&sums->now, running->room, room)) ||
            (sums->mark && !grow_array(&sums->mark, running->room, room)))
            return -ENOMEM;
    }
    running->room = room;
    return 0;
}

static bool bring_into_use(const struct running *running, uint64_t **array)
{
    INVARIANT(running->room > 0);
    if (!*array)
        *array = calloc(running->room, sizeof(uint64_t));
    return *array;
}

static int add_cells(struct running *running, const struct bucket *bucket)
{
    struct running_stretch *stretch = &running->stretches[running->stretch_count++ % PACE_BUCKETS];
    *stretch = (struct running_stretch){.begin_ns = bucket->begin_ns, .end_ns = bucket->end_ns};
    for (size_t i = 0; i < bucket->cell_count; i++) {
        const struct cell *cell = &bucket->cells[i];
        uint32_t const at = sums_of_column(cell->column);
        uint64_t const value = (uint64_t)cell->value;
        INVARIANT(at == SUM_NONE || at < SUMS);
        if (at == SUM_NONE || cell->key >= running->room)
            continue;
        if (!bring_into_use(running, &running->columns[at].now))
            return -ENOMEM;
        running->columns[at].now[cell->key] += is_subtracted(cell->column) ? -value : value;
        if (cell->column <= COL_HEAP_FREED)
            stretch->sums[cell->column] += (uint64_t)cell->value;
    }
    return 0;
}

/* Old buckets were merged into a bucket that is only partly in the sums: starts again from 0. */
static void start_over(struct running *running)
{
    for (size_t i = 0; i < SUMS; i++)
        if (running->columns[i].now)
            memset(running->columns[i].now, 0, running->room * sizeof(uint64_t));
    running->to_ns = 0;
    running->stretch_count = 0;
}

/* The first bucket that is not in the sums. */
static size_t first_new(struct running *running, const struct recording *recording)
{
    const struct bucket *buckets = recording->buckets.items;
    size_t at = recording->buckets.count;
    while (at > 0 && buckets[at - 1].end_ns > running->to_ns)
        at--;
    INVARIANT(at == 0 || buckets[at - 1].end_ns <= running->to_ns);
    if (at == recording->buckets.count || buckets[at].begin_ns >= running->to_ns)
        return at;
    start_over(running);
    return 0;
}

int running_advance(struct running *running, struct recording *recording, uint64_t until_ns,
                    struct fault *fault)
{
    int err = make_room(running, (size_t)stack_table_count(recording->stacks) + 1);
    if (err)
        return fault_set(fault, err, "out of memory while adding up the recording");
    running->stacks = (size_t)stack_table_count(recording->stacks) + 1;
    INVARIANT(running->stacks <= running->room);
    for (size_t i = first_new(running, recording);
         i < recording->buckets.count && recording->buckets.items[i].end_ns <= until_ns && !err;
         i++) {
        struct bucket *bucket = &recording->buckets.items[i];
        running->to_ns = bucket->end_ns;
        err = recording_load_bucket(recording, bucket, fault);
        if (!err && add_cells(running, bucket) < 0)
            err = fault_set(fault, -ENOMEM, "out of memory while adding up the recording");
        recording_unload_bucket(recording, bucket);
    }
    return err;
}

int running_mark(struct running *running)
{
    for (size_t i = 0; i < SUMS; i++)
        if (running->columns[i].now && !bring_into_use(running, &running->columns[i].mark))
            return -ENOMEM;
    for (size_t i = 0; i < SUMS; i++)
        if (running->columns[i].now)
            memcpy(running->columns[i].mark, running->columns[i].now,
                   running->room * sizeof(uint64_t));
    running->mark_ns = running->to_ns;
    return 0;
}

bool running_has(const struct running *running, const struct metric *metric)
{
    for (unsigned i = 0; i <= 2 * metric->more; i += 2) {
        uint32_t const at = sums_of_column(metric->plus + i);
        if (at != SUM_NONE && running->columns[at].now)
            return true;
    }
    return false;
}

size_t running_stacks(const struct running *running)
{
    return running->stacks;
}

uint64_t running_pages(const struct running *running, stack_id stack, unsigned kind)
{
    const uint64_t *now = running->columns[PAGES_FIRST + kind].now;
    int64_t const bytes = now && stack < running->stacks ? (int64_t)now[stack] : 0;
    return bytes > 0 ? (uint64_t)bytes : 0;
}

struct pace running_pace(const struct running *running)
{
    struct pace pace = {0};
    uint64_t begin = running->to_ns;
    double sums[COL_HEAP_FREED + 1] = {0};
    size_t const count =
        running->stretch_count < PACE_BUCKETS ? running->stretch_count : PACE_BUCKETS;
    for (size_t i = 1; i <= count && running->to_ns - begin < PACE_NS; i++) {
        const struct running_stretch *stretch =
            &running->stretches[(running->stretch_count - i) % PACE_BUCKETS];
        for (unsigned column = 0; column <= COL_HEAP_FREED; column++)
            sums[column] += (double)stretch->sums[column];
        begin = stretch->begin_ns;
    }
    pace.seconds = (double)(running->to_ns - begin) / 1e9;
    if (pace.seconds > 0) {
        pace.calls = sums[COL_HEAP_CALLS] / pace.seconds;
        pace.bytes = sums[COL_HEAP_BYTES] / pace.seconds;
        pace.frees = sums[COL_HEAP_FREES] / pace.seconds;
        pace.freed_bytes = sums[COL_HEAP_FREED] / pace.seconds;
    }
    return pace;
}

/* Value of one column, now or at the mark; 0 when the column was never used, and for a column that
 * shares the sums of another one. */
static uint64_t sum_of(const struct running *running, unsigned column, size_t stack, bool mark)
{
    uint32_t const at = sums_of_column(column);
    if (column == COL_NONE || at == SUM_NONE || is_subtracted(column))
        return 0;
    const uint64_t *sums = mark ? running->columns[at].mark : running->columns[at].now;
    return sums ? sums[stack] : 0;
}

static uint64_t level_of(const struct running *running, const struct metric *metric, size_t stack,
                         bool mark)
{
    uint64_t level = 0;
    for (unsigned i = 0; i <= 2 * metric->more; i += 2) {
        level += sum_of(running, metric->plus + i, stack, mark);
        if (metric->minus != COL_NONE)
            level -= sum_of(running, metric->minus + i, stack, mark);
    }
    return level;
}

static struct running_row weigh_stack(const struct running *running, const struct metric *metric,
                                      size_t stack)
{
    uint64_t const value = level_of(running, metric, stack, false);
    uint64_t const before = level_of(running, metric, stack, true);
    uint64_t const count = sum_of(running, metric->count_plus, stack, false) -
                           sum_of(running, metric->count_minus, stack, false);
    return (struct running_row){(uint32_t)stack, (int64_t)value, (int64_t)count,
                                (int64_t)(value - before)};
}

static int64_t add(int64_t a, int64_t b)
{
    return (int64_t)((uint64_t)a + (uint64_t)b);
}

int running_weigh(const struct running *running, const struct metric *metric, const uint32_t *codes,
                  struct running_rows *rows)
{
    *rows = (struct running_rows){0};
    if (metric->kind == METRIC_PINNED)
        return 0;
    for (size_t stack = 0; stack < running->stacks; stack++) {
        struct running_row const row = weigh_stack(running, metric, stack);
        if (codes && !codes[stack])
            continue;
        rows->value = add(rows->value, row.value);
        rows->count = add(rows->count, row.count);
        rows->growth = add(rows->growth, row.growth);
        if ((row.value || row.growth) && !vec_push(&rows->rows, row)) {
            running_rows_fini(rows);
            return -ENOMEM;
        }
    }
    return 0;
}

void running_rows_fini(struct running_rows *rows)
{
    vec_free(&rows->rows);
}
