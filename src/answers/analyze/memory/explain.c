/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/memory/explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/alerts/advise.h"
#include "analyze/sums/bucket_walk.h"
#include "base/human.h"
#include "base/invariant.h"

/* Bytes by column and stack.  Unsigned, so that nonsense in a damaged file wraps instead of
 * trapping. */
struct explain_adding {
    struct summed {
        unsigned column, kinds; /* pairs of columns */
        uint64_t *bytes;        /* by kind, then by stack */
        uint64_t at_ns;         /* of the last bucket with news */
    } owners, pages, touched;
    size_t stacks;
    uint64_t last_look_ns;    /* 0: what is asked for is older, and of the last bucket with news */
    uint64_t live, live_then; /* heap.live so far, and as of the look */
};

static void add_cell(struct summed *summed, size_t stacks, const struct cell *cell, uint64_t at_ns)
{
    INVARIANT(cell->key < stacks);
    if (cell->column < summed->column || cell->column >= summed->column + 2 * summed->kinds)
        return;
    uint64_t *bytes = &summed->bytes[(cell->column - summed->column) / 2 * stacks + cell->key];
    *bytes += cell->column % 2 ? -(uint64_t)cell->value : (uint64_t)cell->value;
    summed->at_ns = at_ns;
}
_Static_assert(COL_RESIDENT_0 % 2 == 0 && COL_PAGES_0 % 2 == 0 && COL_TOUCHED_0 % 2 == 0,
               "odd columns are what is less");

static void add_bucket(void *into, const struct bucket *bucket)
{
    struct explain_adding *adding = into;
    for (size_t i = 0; i < bucket->cell_count; i++) {
        const struct cell *cell = &bucket->cells[i];
        if (cell->key >= adding->stacks)
            continue;
        add_cell(&adding->owners, adding->stacks, cell, bucket->end_ns);
        add_cell(&adding->pages, adding->stacks, cell, bucket->end_ns);
        add_cell(&adding->touched, adding->stacks, cell, bucket->end_ns);
        if (cell->column == COL_HEAP_BYTES)
            adding->live += (uint64_t)cell->value;
        else if (cell->column == COL_HEAP_FREED)
            adding->live -= (uint64_t)cell->value;
    }
    if (bucket->begin_ns <= adding->last_look_ns || adding->owners.at_ns == bucket->end_ns)
        adding->live_then = adding->live;
}

static int collect(const uint64_t *bytes, size_t stacks, const char *metric,
                   struct weights *weights)
{
    weights->metric = metric_find(metric);
    INVARIANT(weights->metric);
    for (size_t stack = 0; stack < stacks; stack++) {
        if (bytes[stack] == 0)
            continue;
        if (!vec_push(&weights->rows,
                      (struct weight){.key = (uint32_t)stack, .value = (int64_t)bytes[stack]}))
            return -ENOMEM;
        weights->total_value = (int64_t)((uint64_t)weights->total_value + bytes[stack]);
    }
    return 0;
}

static int collect_all(const struct explain_adding *adding, struct explanation *explanation)
{
    size_t const stacks = adding->stacks;
    int err = 0;
    for (unsigned kind = 0; kind < OWNER_KINDS && err == 0; kind++)
        err = collect(adding->owners.bytes + kind * stacks, stacks, owner_words[kind].metric,
                      &explanation->owners[kind]);
    for (unsigned kind = 0; kind < PAGE_KINDS && err == 0; kind++)
        err = collect(adding->pages.bytes + kind * stacks, stacks, page_words[kind].metric,
                      &explanation->pages[kind]);
    for (unsigned place = 0; place < OWNERS_TOUCHED && err == 0; place++)
        err = collect(adding->touched.bytes + place * stacks, stacks, owner_touched_metrics[place],
                      &explanation->touched[place]);
    explanation->is_of_pages = adding->owners.at_ns == 0 && adding->pages.at_ns != 0;
    return err;
}

static const struct weights *touched_of(const struct explanation *explanation, enum owner_kind kind)
{
    unsigned const place = owner_touched_place(kind);
    return place < OWNERS_TOUCHED && explanation->touched[place].rows.count
               ? &explanation->touched[place]
               : NULL;
}

size_t explain_parts(const struct explanation *explanation,
                     struct explained_part parts[EXPLAINED_PARTS_MAX])
{
    bool const is_of_pages = explanation->is_of_pages;
    size_t const count = is_of_pages ? PAGE_KINDS_RESIDENT : OWNER_KINDS;
    INVARIANT(count <= EXPLAINED_PARTS_MAX);
    for (unsigned i = 0; i < count; i++)
        parts[i] = is_of_pages
                       ? (struct explained_part){&page_words[i], &explanation->pages[i], NULL}
                       : (struct explained_part){&owner_words[i], &explanation->owners[i],
                                                 touched_of(explanation, (enum owner_kind)i)};
    return count;
}

bool explain_is_unseen(const struct recording *recording, uint32_t function)
{
    return recording_text(recording, function)[0] == '[';
}

static void sum_up(struct recording *recording, const struct explain_adding *adding, uint64_t to_ns,
                   struct explanation *explanation)
{
    struct explained_part parts[EXPLAINED_PARTS_MAX];
    size_t const count = explain_parts(explanation, parts);
    uint64_t const last_ns = recording->residency.time_ns;
    for (size_t i = 0; i < count; i++)
        explanation->total += (uint64_t)parts[i].weights->total_value;
    /* A look that found nothing new left no trace but its time. */
    explanation->at_ns = last_ns && to_ns >= last_ns ? last_ns
                         : explanation->is_of_pages  ? adding->pages.at_ns
                                                     : adding->owners.at_ns;
    explanation->heap_live_bytes = explanation->is_of_pages ? 0 : (int64_t)adding->live_then;
}

static int add_up(struct recording *recording, uint64_t to_ns, struct explanation *explanation,
                  struct fault *fault)
{
    size_t const stacks = (size_t)stack_table_count(recording->stacks) + 1;
    struct time_range range = {0, to_ns};
    uint64_t *all = calloc(stacks * (OWNER_KINDS + PAGE_KINDS + OWNERS_TOUCHED), sizeof(uint64_t));
    if (!all)
        return fault_set(fault, -ENOMEM, "out of memory");
    struct explain_adding adding = {
        .owners = {COL_RESIDENT_0, OWNER_KINDS, all, 0},
        .pages = {COL_PAGES_0, PAGE_KINDS, all + OWNER_KINDS * stacks, 0},
        .touched = {COL_TOUCHED_0, OWNERS_TOUCHED, all + (OWNER_KINDS + PAGE_KINDS) * stacks, 0},
        .stacks = stacks,
        .last_look_ns = to_ns >= recording->residency.time_ns ? recording->residency.time_ns : 0};
    int err = bucket_walk(recording, &range, (struct bucket_visitor){add_bucket, &adding}, fault);
    if (err == 0 && collect_all(&adding, explanation) < 0)
        err = fault_set(fault, -ENOMEM, "out of memory");
    if (err == 0)
        sum_up(recording, &adding, to_ns, explanation);
    free(all);
    return err;
}

static int refuse(const struct recording *recording, uint64_t to_ns, struct fault *fault)
{
    char time[HUMAN_MAX];
    if (recording->residency.looks)
        return fault_set(fault, -ENODATA,
                         "the recording has no snapshot of the pages before %s: choose a later "
                         "time",
                         human_duration(to_ns, time));
    return fault_set(fault, -ENODATA,
                     "the recording has no snapshot of the pages: the program ended before the "
                     "first one, or was recorded with --map-every off, or by another program");
}

int explain_make(struct recording *recording, uint64_t to_ns, struct explanation *explanation,
                 struct fault *fault)
{
    memset(explanation, 0, sizeof(*explanation));
    explanation->residency = recording->residency;
    int err = add_up(recording, to_ns, explanation, fault);
    if (err == 0 && explanation->at_ns == 0)
        err = refuse(recording, to_ns, fault);
    if (err == 0)
        err = advise(recording, explanation, fault);
    if (err < 0)
        explain_fini(explanation);
    return err;
}

void explain_fini(struct explanation *explanation)
{
    for (unsigned kind = 0; kind < OWNER_KINDS; kind++)
        weights_fini(&explanation->owners[kind]);
    for (unsigned kind = 0; kind < PAGE_KINDS; kind++)
        weights_fini(&explanation->pages[kind]);
    for (unsigned place = 0; place < OWNERS_TOUCHED; place++)
        weights_fini(&explanation->touched[place]);
    vec_free(&explanation->advice);
}
