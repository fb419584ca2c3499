/* SPDX-License-Identifier: Apache-2.0 */
#include "formats/heaptrack/heap_sums.h"

#include <errno.h>
#include <string.h>

#include "analyze/sums/bucket_walk.h"

struct gatherer {
    struct heap_sums *into;
    uint32_t *latest; /* by stack_id: index + 1 of its newest sums */
    uint32_t bucket;
    bool failed;
};

static uint64_t not_negative(int64_t value)
{
    return value > 0 ? (uint64_t)value : 0;
}

static struct stack_sums *sums_of(struct gatherer *gatherer, stack_id stack)
{
    struct heap_sums *into = gatherer->into;
    uint32_t at = gatherer->latest[stack];
    if (at && into->sums.items[at - 1].slot == gatherer->bucket)
        return &into->sums.items[at - 1];
    if (!vec_push(&into->sums, (struct stack_sums){.stack = stack, .slot = gatherer->bucket})) {
        gatherer->failed = true;
        return NULL;
    }
    gatherer->latest[stack] = (uint32_t)into->sums.count;
    return &into->sums.items[into->sums.count - 1];
}

static void add_cell(struct gatherer *gatherer, const struct cell *cell)
{
    if (cell->column < COL_HEAP_CALLS || cell->column > COL_HEAP_TEMPORARY ||
        cell->key >= gatherer->into->stack_limit)
        return;
    struct stack_sums *sums = sums_of(gatherer, cell->key);
    if (!sums)
        return;
    uint64_t *fields[] = {&sums->calls, &sums->bytes, &sums->frees, &sums->freed, &sums->temporary};
    *fields[cell->column - COL_HEAP_CALLS] += not_negative(cell->value);
}

static void visit_bucket(void *into, const struct bucket *bucket)
{
    struct gatherer *gatherer = into;
    for (size_t i = 0; i < bucket->cell_count && !gatherer->failed; i++)
        add_cell(gatherer, &bucket->cells[i]);
    gatherer->bucket++;
}

static int by_stack_then_slot(const void *left, const void *right)
{
    const struct stack_sums *a = left, *b = right;
    if (a->stack != b->stack)
        return a->stack < b->stack ? -1 : 1;
    return a->slot < b->slot ? -1 : a->slot > b->slot;
}

static void gather_peak(const struct recording *recording, struct heap_sums *sums)
{
    const struct pin *pin = recording_pin(recording, PIN_PEAK);
    sums->peak_bucket = SIZE_MAX;
    if (!pin)
        return;
    for (size_t i = 0; i < pin->cell_count; i++) {
        const struct cell *cell = &pin->cells[i];
        if (cell->key >= sums->stack_limit)
            continue;
        if (cell->column == COL_HEAP_BYTES)
            sums->peak_bytes[cell->key] += not_negative(cell->value);
        else if (cell->column == COL_HEAP_CALLS)
            sums->peak_count[cell->key] += not_negative(cell->value);
    }
    for (uint32_t stack = 0; stack < sums->stack_limit; stack++)
        sums->peak_total += (int64_t)sums->peak_bytes[stack];
    sums->peak_ns = pin->time_ns;
    for (size_t i = 0; i < recording->buckets.count; i++)
        if (recording->buckets.items[i].begin_ns <= pin->time_ns)
            sums->peak_bucket = i;
}

int heap_sums_gather(struct recording *recording, struct heap_sums *sums, struct fault *fault)
{
    size_t limit = (size_t)stack_table_count(recording->stacks) + 1;
    *sums = (struct heap_sums){.stack_limit = (uint32_t)limit,
                               .peak_count = calloc(limit, sizeof(uint64_t)),
                               .peak_bytes = calloc(limit, sizeof(uint64_t))};
    struct gatherer gatherer = {.into = sums, .latest = calloc(limit, sizeof(uint32_t))};
    struct time_range all = TIME_ALL;
    int err = -ENOMEM;
    if (gatherer.latest && sums->peak_count && sums->peak_bytes) {
        gather_peak(recording, sums);
        err = bucket_walk(recording, &all, (struct bucket_visitor){visit_bucket, &gatherer}, fault);
    }
    free(gatherer.latest);
    if (err == -ENOMEM || gatherer.failed)
        return fault_set(fault, -ENOMEM, "Not enough memory to gather the recording.");
    if (err == 0 && sums->sums.count)
        qsort(sums->sums.items, sums->sums.count, sizeof(sums->sums.items[0]), by_stack_then_slot);
    return err;
}

void heap_sums_fini(struct heap_sums *sums)
{
    vec_free(&sums->sums);
    free(sums->peak_count);
    free(sums->peak_bytes);
}

/* The sums of one stack with slots counted past the cut; the room is the caller's, reused. */
static int add_stack(const struct heap_sums *sums, size_t first, size_t count,
                     struct stack_sums *moved, struct block_runs *runs)
{
    const struct stack_sums *from = &sums->sums.items[first];
    memcpy(moved, from, count * sizeof(*moved));
    for (size_t i = 0; i < count; i++)
        moved[i].slot += sums->peak_bucket != SIZE_MAX && moved[i].slot > sums->peak_bucket;
    struct peak_state peak = {SLOT_NEVER, 0, 0};
    if (sums->peak_bucket != SIZE_MAX)
        peak = (struct peak_state){(uint32_t)sums->peak_bucket, sums->peak_count[from->stack],
                                   sums->peak_bytes[from->stack]};
    return block_runs_add(runs, moved, count, peak);
}

static int runs_with_peak_in(struct heap_sums *sums, size_t bucket, struct stack_sums *moved,
                             struct block_runs *runs)
{
    *runs = (struct block_runs){0};
    sums->peak_bucket = bucket;
    int err = 0;
    for (size_t first = 0, end; first < sums->sums.count && err == 0; first = end) {
        for (end = first + 1; end < sums->sums.count; end++)
            if (sums->sums.items[end].stack != sums->sums.items[first].stack)
                break;
        err = add_stack(sums, first, end - first, moved, runs);
    }
    return err;
}

int heap_sums_to_runs(struct heap_sums *sums, struct block_runs *runs)
{
    *runs = (struct block_runs){0};
    struct stack_sums *moved = malloc((sums->sums.count + 1) * sizeof(*moved));
    if (!moved)
        return -ENOMEM;
    size_t best = sums->peak_bucket;
    const size_t neighbours[] = {best - 1, best + 1}; /* of none or of 0: SIZE_MAX, skipped */
    int err = runs_with_peak_in(sums, best, moved, runs);
    for (size_t i = 0; i < 2 && err == 0 && runs->peak_off_by; i++) {
        struct block_runs other;
        if (neighbours[i] == SIZE_MAX)
            continue;
        err = runs_with_peak_in(sums, neighbours[i], moved, &other);
        if (err == 0 && other.peak_off_by < runs->peak_off_by) {
            struct block_runs better = other;
            other = *runs;
            *runs = better;
            best = neighbours[i];
        }
        block_runs_fini(&other);
    }
    sums->peak_bucket = best;
    free(moved);
    return err;
}
