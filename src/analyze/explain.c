/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/explain.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/advise.h"
#include "analyze/bucket_walk.h"
#include "base/human.h"

/* Bytes by kind and stack.  Unsigned, so that nonsense in a damaged file wraps instead of trapping. */
struct adding {
    uint64_t *bytes[OWNER_KINDS];
    size_t stacks;
    uint64_t at_ns; /* of the last bucket with news */
};

static void add_bucket(void *into, const struct bucket *bucket)
{
    struct adding *adding = into;
    for (size_t i = 0; i < bucket->cell_count; i++) {
        const struct cell *cell = &bucket->cells[i];
        unsigned const column = cell->column;
        if (column < COL_RESIDENT_0 || column >= COL_RESIDENT_0 + 2 * OWNER_KINDS ||
            cell->key >= adding->stacks)
            continue;
        uint64_t *bytes = &adding->bytes[(column - COL_RESIDENT_0) / 2][cell->key];
        *bytes += column % 2 ? -(uint64_t)cell->value : (uint64_t)cell->value;
        adding->at_ns = bucket->end_ns;
    }
}
_Static_assert(COL_RESIDENT_0 % 2 == 0, "odd columns are what is less");

static int collect(const struct adding *adding, struct explanation *explanation)
{
    for (unsigned kind = 0; kind < OWNER_KINDS; kind++) {
        struct weights *weights = &explanation->owners[kind];
        weights->metric = metric_find(owner_words[kind].metric);
        for (size_t stack = 0; stack < adding->stacks; stack++) {
            int64_t const bytes = (int64_t)adding->bytes[kind][stack];
            if (bytes == 0)
                continue;
            if (!vec_push(&weights->rows, (struct weight){(uint32_t)stack, bytes, 0}))
                return -ENOMEM;
            weights->total_value = (int64_t)((uint64_t)weights->total_value + (uint64_t)bytes);
        }
        explanation->total += (uint64_t)weights->total_value;
    }
    return 0;
}

static int add_up(struct recording *recording, uint64_t to_ns, struct explanation *explanation,
                  struct fault *fault)
{
    struct adding adding = {.stacks = (size_t)stack_table_count(recording->stacks) + 1};
    struct time_range range = {0, to_ns};
    uint64_t *all = calloc(adding.stacks * OWNER_KINDS, sizeof(uint64_t));
    if (!all)
        return fault_set(fault, -ENOMEM, "out of memory");
    for (unsigned kind = 0; kind < OWNER_KINDS; kind++)
        adding.bytes[kind] = all + kind * adding.stacks;
    int err = bucket_walk(recording, &range, (struct bucket_visitor){add_bucket, &adding}, fault);
    if (err == 0 && collect(&adding, explanation) < 0)
        err = fault_set(fault, -ENOMEM, "out of memory");
    /* A look that found nothing new left no trace but its time. */
    explanation->at_ns =
        to_ns >= recording->residency.time_ns ? recording->residency.time_ns : adding.at_ns;
    free(all);
    return err;
}

static int refuse(const struct recording *recording, uint64_t to_ns, struct fault *fault)
{
    char time[HUMAN_MAX];
    if (recording->residency.looks)
        return fault_set(fault, -ENODATA,
                         "nobody had looked at its pages by %s: ask for a later time",
                         human_duration(to_ns, time));
    return fault_set(fault, -ENODATA,
                     "nobody has looked at its pages: the program was over too soon, or it was "
                     "recorded with --map-every off, or by another program");
}

int explain_make(struct recording *recording, uint64_t to_ns, struct explanation *explanation,
                 struct fault *fault)
{
    memset(explanation, 0, sizeof(*explanation));
    explanation->residency = recording->residency;
    int err = recording->residency.looks ? add_up(recording, to_ns, explanation, fault) : 0;
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
    vec_free(&explanation->advice);
}
