/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/moment_sums.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/sums/bucket_walk.h"
#include "analyze/sums/moment_cut.h"
#include "base/hash.h"
#include "base/invariant.h"

struct moment_summing {
    const struct recording *recording;
    struct moment_sums *sums;
    uint32_t *slots; /* Open addressing over the rows: index + 1. */
    size_t slot_mask;
    enum column column;
    struct time_range asked;
    struct moment_edges edges;
    bool has_cells, failed;
};

static size_t slot_of(const struct moment_summing *summing, uint32_t thread, stack_id stack)
{
    INVARIANT(summing->sums->rows.count <= summing->slot_mask); /* So there is a free slot. */
    size_t at = hash_mix((uint64_t)thread << 32 | stack) & summing->slot_mask;
    for (; summing->slots[at]; at = (at + 1) & summing->slot_mask) {
        const struct moment_sum *row = &summing->sums->rows.items[summing->slots[at] - 1];
        if (row->thread == thread && row->stack == stack)
            break;
    }
    return at;
}

static bool grow_slots(struct moment_summing *summing)
{
    size_t const room = summing->slots ? 2 * (summing->slot_mask + 1) : 1024;
    uint32_t *slots = calloc(room, sizeof(slots[0]));
    if (!slots)
        return false;
    free(summing->slots);
    summing->slots = slots;
    summing->slot_mask = room - 1;
    for (size_t i = 0; i < summing->sums->rows.count; i++) {
        const struct moment_sum *row = &summing->sums->rows.items[i];
        slots[slot_of(summing, row->thread, row->stack)] = (uint32_t)i + 1;
    }
    return true;
}

static struct moment_sum *find_row(struct moment_summing *summing, uint32_t thread, stack_id stack)
{
    if (!summing->slots || 2 * summing->sums->rows.count > summing->slot_mask)
        if (!grow_slots(summing))
            return NULL;
    size_t const at = slot_of(summing, thread, stack);
    if (!summing->slots[at]) {
        struct moment_sum const row = {.thread = thread, .stack = stack};
        if (summing->sums->rows.count >= UINT32_MAX || !vec_push(&summing->sums->rows, row))
            return NULL;
        summing->slots[at] = (uint32_t)summing->sums->rows.count;
    }
    INVARIANT(summing->slots[at] <= summing->sums->rows.count);
    return &summing->sums->rows.items[summing->slots[at] - 1];
}

static void add_moment(struct moment_summing *summing, const struct moment *moment)
{
    if (moment->thread >= summing->recording->threads.count ||
        moment->stack > stack_table_count(summing->recording->stacks))
        return; /* The file is damaged. */
    struct moment_sum *row = find_row(summing, moment->thread, moment->stack);
    if (!row) {
        summing->failed = true;
        return;
    }
    row->value = (int64_t)((uint64_t)row->value + (uint64_t)moment->value);
    row->count += moment->count;
    summing->sums->total_value =
        (int64_t)((uint64_t)summing->sums->total_value + (uint64_t)moment->value);
    summing->sums->total_count += moment->count;
}

static void add_bucket(void *into, const struct bucket *bucket)
{
    struct moment_summing *summing = into;
    bool const is_cut = moment_cuts(bucket, summing->column, summing->asked);
    for (size_t i = 0; i < bucket->moment_count && !summing->failed; i++) {
        const struct moment *moment = &bucket->moments[i];
        if (is_cut ? moment_is_in(bucket, moment, summing->column, summing->asked)
                   : moment->column == summing->column)
            add_moment(summing, moment);
    }
    for (size_t i = 0; i < bucket->cell_count && !summing->has_cells; i++)
        summing->has_cells = bucket->cells[i].column == summing->column;
    if (is_cut)
        moment_edges_note(&summing->edges, bucket, summing->asked);
}

static int by_thread(const void *left, const void *right)
{
    const struct moment_sum *a = left, *b = right;
    if (a->thread != b->thread)
        return a->thread < b->thread ? -1 : 1;
    return a->stack < b->stack ? -1 : a->stack > b->stack;
}

static int check(const struct moment_sums *sums, bool has_cells, struct fault *fault)
{
    if (sums->rows.count)
        return 0;
    if (!has_cells)
        return fault_set(fault, -ENODATA,
                         "there is no %s in that time: memoir cpu and memoir run --cpu record it",
                         sums->metric->name);
    return fault_set(
        fault, -ENODATA,
        "this recording has no single samples of %s in that time, only sums by stack and by thread",
        sums->metric->name);
}

int moment_sums_build(struct recording *recording, const struct metric *metric,
                      struct time_range range, struct moment_sums *sums, struct fault *fault)
{
    *sums = (struct moment_sums){.metric = metric};
    struct moment_summing summing = {
        .recording = recording, .sums = sums, .column = metric_moments(metric), .asked = range};
    if (summing.column == COL_NONE)
        return fault_set(fault, -ENODATA,
                         "%s is known by stack and by thread, but not by both: threads as roots "
                         "are for cpu.on and cpu.off",
                         metric->name);
    int err = bucket_walk(recording, &range, (struct bucket_visitor){add_bucket, &summing}, fault);
    free(summing.slots);
    if (!err && summing.failed)
        err = fault_set(fault, -ENOMEM, "out of memory while adding up %s by thread", metric->name);
    if (!err)
        err = check(sums, summing.has_cells, fault);
    if (err) {
        moment_sums_fini(sums);
        return err;
    }
    sums->used = moment_edges_used(&summing.edges, summing.asked, range);
    qsort(sums->rows.items, sums->rows.count, sizeof(sums->rows.items[0]), by_thread);
    return 0;
}

void moment_sums_fini(struct moment_sums *sums)
{
    vec_free(&sums->rows);
}

/* "worker-12/3" as "worker-#/#". */
static void fold_digits(char *name)
{
    char *to = name;
    for (const char *from = name; *from;) {
        if (!isdigit((unsigned char)*from)) {
            *to++ = *from++;
            continue;
        }
        while (isdigit((unsigned char)*from))
            from++;
        *to++ = '#';
    }
    *to = '\0';
}

void thread_label(const struct recording *recording, uint32_t thread, enum thread_names names,
                  char label[THREAD_LABEL_MAX])
{
    INVARIANT(thread < recording->threads.count);
    const struct thread *row = &recording->threads.items[thread];
    const char *name = recording_text(recording, row->name);
    if (row->merged > 1)
        snprintf(label, THREAD_LABEL_MAX, "%u other threads", row->merged);
    else if (names == THREADS_FOLDED)
        snprintf(label, THREAD_LABEL_MAX, "%.100s", *name ? name : "thread without a name");
    else if (*name)
        snprintf(label, THREAD_LABEL_MAX, "%.100s (%u)", name, row->tid);
    else
        snprintf(label, THREAD_LABEL_MAX, "thread %u", row->tid);
    if (names == THREADS_FOLDED && row->merged <= 1)
        fold_digits(label);
}

/* Copies of stacks below one root; stacks share the copies of their common callers. */
struct rooting {
    struct recording *recording;
    stack_id *copies; /* Indexed by stack; 0: not copied below this root yet. */
    VEC(stack_id) copied, climb;
    stack_id root;
};

static int copy_stack(struct rooting *rooting, stack_id stack, stack_id *copy)
{
    rooting->climb.count = 0;
    INVARIANT(rooting->root != STACK_EMPTY);
    for (; stack != STACK_EMPTY && !rooting->copies[stack];
         stack = stack_table_innermost(rooting->recording->stacks, stack).caller)
        if (!vec_push(&rooting->climb, stack))
            return -ENOMEM;
    *copy = stack == STACK_EMPTY ? rooting->root : rooting->copies[stack];
    while (rooting->climb.count) {
        stack = rooting->climb.items[--rooting->climb.count];
        uint32_t const frame = stack_table_innermost(rooting->recording->stacks, stack).frame;
        int err = stack_table_push(rooting->recording->stacks, *copy, frame, copy);
        if (err)
            return err;
        if (!vec_push(&rooting->copied, stack))
            return -ENOMEM;
        rooting->copies[stack] = *copy;
        INVARIANT(*copy > stack); /* Copies get larger ids. */
    }
    return 0;
}

static int next_root(struct rooting *rooting, uint32_t thread, enum thread_names names)
{
    char label[THREAD_LABEL_MAX];
    thread_label(rooting->recording, thread, names, label);
    vec_each (stack, &rooting->copied)
        rooting->copies[*stack] = STACK_EMPTY;
    rooting->copied.count = 0;
    string_id const name = recording_intern(rooting->recording, label);
    return name == STRING_EMPTY ? -ENOMEM
                                : recording_name_stack(rooting->recording, name, &rooting->root);
}

static int root_rows(struct rooting *rooting, const struct moment_sums *sums,
                     enum thread_names names, struct weights *weights)
{
    uint32_t thread = UINT32_MAX;
    int err = 0;
    vec_each (row, &sums->rows) {
        struct weight weight = {.value = row->value, .count = row->count};
        INVARIANT(thread == UINT32_MAX || row->thread >= thread); /* sorted by thread */
        if (row->thread != thread)
            err = next_root(rooting, row->thread, names);
        thread = row->thread;
        if (!err)
            err = copy_stack(rooting, row->stack, &weight.key);
        if (!err && !vec_push(&weights->rows, weight))
            err = -ENOMEM;
        if (err)
            return err;
    }
    return 0;
}

int moment_sums_root(struct recording *recording, const struct moment_sums *sums,
                     enum thread_names names, struct weights *weights)
{
    struct rooting rooting = {.recording = recording};
    *weights = (struct weights){.metric = sums->metric,
                                .used = sums->used,
                                .total_value = sums->total_value,
                                .total_count = sums->total_count};
    rooting.copies =
        calloc((size_t)stack_table_count(recording->stacks) + 1, sizeof(rooting.copies[0]));
    int err = rooting.copies ? root_rows(&rooting, sums, names, weights) : -ENOMEM;
    free(rooting.copies);
    vec_free(&rooting.copied);
    vec_free(&rooting.climb);
    if (err)
        weights_fini(weights);
    return err;
}
