/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/alerts/advise.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "analyze/trees/call_tree.h"
#include "analyze/growth/recording_growth.h"

/* Less than this, and less than one part in so many of the whole, is not worth a sentence. */
#define LEAST_BYTES (1u << 20)
#define LEAST_PART  20u
#define STACKS_MANY 64u

static bool is_worth(const struct explanation *explanation, uint64_t bytes)
{
    return bytes >= LEAST_BYTES && bytes >= explanation->total / LEAST_PART;
}

static uint64_t total_of(const struct explanation *explanation, enum owner_kind kind)
{
    int64_t const bytes = explanation->owners[kind].total_value;
    return bytes > 0 ? (uint64_t)bytes : 0;
}

static bool add(struct explanation *explanation, struct advice advice)
{
    return vec_push(&explanation->advice, advice);
}

/* The row with the most. */
static const struct weight *largest(const struct weights *weights)
{
    const struct weight *most = NULL;
    vec_each (row, &weights->rows) {
        if (!most || row->value > most->value)
            most = row;
    }
    return most;
}

static uint64_t bytes_of_stack(const struct weights *weights, uint32_t stack)
{
    vec_each (row, &weights->rows) {
        if (row->key == stack && row->value > 0)
            return (uint64_t)row->value;
    }
    return 0;
}

static bool advise_heap(struct explanation *explanation)
{
    uint64_t const kept = total_of(explanation, OWNER_KEPT);
    uint64_t const held = total_of(explanation, OWNER_HELD);
    const struct weights *arenas = &explanation->owners[OWNER_KEPT];
    if (is_worth(explanation, kept) &&
        !add(explanation, (struct advice){ADVICE_TRIM, kept, 0, 0, 0}))
        return false;
    const struct weight *most = largest(arenas);
    if (most && arenas->rows.count > 1) {
        uint64_t const others = kept - (uint64_t)most->value;
        if (is_worth(explanation, others) &&
            !add(explanation,
                 (struct advice){ADVICE_ARENAS, others, 0, 0, (uint32_t)arenas->rows.count}))
            return false;
    }
    const struct weight *pins = largest(&explanation->owners[OWNER_HELD]);
    if (!pins || !is_worth(explanation, held) || held < total_of(explanation, OWNER_LIVE) / 2)
        return true;
    return add(explanation,
               (struct advice){ADVICE_FRAGMENTED, held, pins->key,
                               bytes_of_stack(&explanation->owners[OWNER_LIVE], pins->key), 0});
}

static bool advise_stacks(struct explanation *explanation)
{
    uint64_t const stacks = total_of(explanation, OWNER_STACK);
    uint32_t const count = (uint32_t)explanation->owners[OWNER_STACK].rows.count;
    if (!is_worth(explanation, stacks) && !(count >= STACKS_MANY && stacks >= LEAST_BYTES))
        return true;
    return add(explanation, (struct advice){ADVICE_STACKS, stacks, 0, 0, count});
}

/* The function that grows most, if the heap grows at all: what it has live by now. */
static int advise_growing(struct recording *recording, struct explanation *explanation,
                          struct fault *fault)
{
    struct recording_growth growth;
    int const err = recording_growth_make(recording, 0, &growth, fault);
    if (err < 0 || growth.heap.verdict != GROWTH_GROWING || growth.site_count == 0)
        return err;
    const struct growth_site *site = &growth.sites[0];
    uint64_t const live = bytes_of_stack(&explanation->owners[OWNER_LIVE], site->stack);
    struct advice const advice = {ADVICE_GROWING, live, site->stack,
                                  site->slope > 0 ? (uint64_t)(site->slope * 3600) : 0, 0};
    return add(explanation, advice) ? 0 : fault_set(fault, -ENOMEM, "out of memory");
}

/* What is not there costs nothing; only the last look knows. */
static bool advise_absent(struct explanation *explanation)
{
    const struct residency *residency = &explanation->residency;
    if (explanation->at_ns < residency->time_ns)
        return true;
    if (is_worth(explanation, residency->reserved_bytes) &&
        !add(explanation, (struct advice){ADVICE_RESERVED, residency->reserved_bytes, 0, 0, 0}))
        return false;
    return !is_worth(explanation, residency->untouched_bytes) ||
           add(explanation, (struct advice){ADVICE_UNTOUCHED, residency->untouched_bytes, 0, 0, 0});
}

/* Of memory that is known by its pages: what is not known, and how to learn it. */
static bool advise_pages(struct recording *recording, struct explanation *explanation)
{
    uint64_t earlier = 0;
    for (unsigned kind = 0; kind < PAGE_KINDS_RESIDENT; kind++)
        vec_each (row, &explanation->pages[kind].rows) {
            struct shown_frame frame;
            if (row->value > 0 && stack_show(recording, row->key, &frame, 1) &&
                strcmp(recording_text(recording, frame.function), PAGES_BEFORE_NAME) == 0)
                earlier += (uint64_t)row->value;
        }
    if (is_worth(explanation, earlier) &&
        !add(explanation, (struct advice){ADVICE_EARLIER, earlier, 0, 0, 0}))
        return false;
    int64_t const anon = explanation->pages[PAGE_ANON].total_value;
    return anon <= 0 || !is_worth(explanation, (uint64_t)anon) ||
           add(explanation, (struct advice){ADVICE_BLOCKS, (uint64_t)anon, 0, 0, 0});
}

/* What would bring nothing back comes last. */
static int compare(const void *left, const void *right)
{
    const struct advice *a = left, *b = right;
    bool const a_idle = a->kind >= ADVICE_EARLIER, b_idle = b->kind >= ADVICE_EARLIER;
    if (a_idle != b_idle)
        return a_idle - b_idle;
    return a->bytes < b->bytes ? 1 : a->bytes > b->bytes ? -1 : (int)a->kind - (int)b->kind;
}

int advise(struct recording *recording, struct explanation *explanation, struct fault *fault)
{
    bool const knows_pages = recording->quality.sample_rate == 0;
    if (explanation->is_of_pages)
        return advise_pages(recording, explanation) ? 0
                                                    : fault_set(fault, -ENOMEM, "out of memory");
    if ((knows_pages && !advise_heap(explanation)) || !advise_stacks(explanation) ||
        !advise_absent(explanation))
        return fault_set(fault, -ENOMEM, "out of memory");
    int const err = advise_growing(recording, explanation, fault);
    if (explanation->advice.count)
        qsort(explanation->advice.items, explanation->advice.count, sizeof(struct advice), compare);
    return err;
}
