/* SPDX-License-Identifier: Apache-2.0 */
#include "process_map/stack_claims.h"

#include <errno.h>
#include <string.h>

#include "procfs/process/thread_stacks.h"

#define GUARD_MAX                                                                                  \
    ((uint64_t)1 << 20) /* a larger mapping without rights is what a heap has reserved */

static size_t find_region(const struct breakdown *breakdown, uint64_t address)
{
    size_t low = 0, high = breakdown->regions.count;
    while (low < high) {
        size_t const middle = low + (high - low) / 2;
        if (breakdown->regions.items[middle].end <= address)
            low = middle + 1;
        else
            high = middle;
    }
    return low;
}

/* Goroutines and other threads of a runtime's own have their stacks in its heap: that is no
 * stack's mapping. */
static bool may_be_stack(const struct breakdown *breakdown, size_t number)
{
    const struct memory_region *region = &breakdown->regions.items[number];
    if (region->name[0] || strncmp(region->rights, "rw", 2) != 0 || region->rights[3] != 'p' ||
        number == 0)
        return false;
    const struct memory_region *below = region - 1;
    return below->end == region->start && below->bytes.size <= GUARD_MAX &&
           below->name[0] == '\0' && memcmp(below->rights, "---p", 4) == 0;
}

static bool claim_region(struct breakdown *breakdown, size_t number, const char *item,
                         enum breakdown_evidence evidence)
{
    const struct memory_region *region = &breakdown->regions.items[number];
    return breakdown_claim(breakdown,
                           (struct memory_claim){region->start, region->end, SECTION_STACKS,
                                                 "Threads", item, evidence});
}

static bool claim_looks(struct breakdown *breakdown)
{
    for (size_t i = 0; i < breakdown->regions.count; i++) {
        const struct memory_region *region = &breakdown->regions.items[i];
        if (region->flags & REGION_NO_HUGE && may_be_stack(breakdown, i) &&
            region[-1].flags & REGION_NO_HUGE &&
            !claim_region(breakdown, i, "running, or kept of ended threads", EVIDENCE_SHAPE))
            return false;
    }
    return true;
}

int stack_claims_add(struct breakdown *breakdown)
{
    struct thread_stacks stacks;
    bool fits = true, folded = false;
    int const err = thread_stacks_read(breakdown->pid, &stacks);
    if (err < 0)
        return err;
    vec_each (thread, &stacks.threads) {
        size_t const number = find_region(breakdown, thread->pointer);
        char name[64];
        if (breakdown_has_folded(breakdown, thread->pointer, thread->pointer + 1))
            folded = true;
        if (!fits || thread->pointer == 0 || number == breakdown->regions.count ||
            breakdown->regions.items[number].start > thread->pointer ||
            !may_be_stack(breakdown, number))
            continue;
        name_without_number(thread->name, strlen(thread->name), name, sizeof(name));
        fits =
            claim_region(breakdown, number, breakdown_text(breakdown, "%s", name), EVIDENCE_THREAD);
    }
    thread_stacks_fini(&stacks);
    if (folded)
        return -EAGAIN;
    return fits && claim_looks(breakdown) ? 0 : -ENOMEM;
}
