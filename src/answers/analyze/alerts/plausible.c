/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/alerts/plausible.h"

#include <string.h>

/* Programs have some memory besides blocks: stacks, the loader's and libc's data, what the
 * allocator keeps.  This much is worth a word; in a program that allocates next to nothing, less
 * is. */
#define UNEXPLAINED_BYTES    (32ull << 20)
#define UNEXPLAINED_OF_FEW   (2ull << 20)
#define FEW_CALLS            100u
#define MANY_CALLS           1000u
#define CALLS_WITHOUT_A_FREE 50u /* per free */

/* Only a recording from the first instruction on knows all blocks that are resident. */
static bool is_from_the_start(const struct recording *recording)
{
    return strcmp(recording_text(recording, recording->source), "memoir run") == 0;
}

static bool lacks_memory(const struct recording *recording)
{
    uint64_t heap = recording->heap.peak_bytes, anon = recording->anon_peak_bytes;
    if (recording->pools.peak_bytes > heap) /* an allocator that told us itself */
        heap = recording->pools.peak_bytes;
    if (recording->quality.unwritten_from_ns)
        return false; /* the kernel counted on, and the blocks of then are missing */
    if (!is_from_the_start(recording) || anon <= heap)
        return false;
    if (recording->heap.calls + recording->pools.calls < FEW_CALLS)
        return anon - heap > UNEXPLAINED_OF_FEW;
    return anon - heap > UNEXPLAINED_BYTES && heap < anon / 2;
}

/* A program that was traced from its first instruction on gives nothing back unseen: then it is
 * a leak, and no doubt.  In one that ran already, addresses of free() that it had copied before
 * are not seen. */
static bool lacks_frees(const struct recording *recording)
{
    return recording->before.attached && recording->heap.calls >= MANY_CALLS &&
           recording->quality.lost_events == 0 &&
           recording->heap.frees < recording->heap.calls / CALLS_WITHOUT_A_FREE;
}

/* A library may be there for a plugin that nobody uses; an executable is what was run. */
static bool is_in_use(const struct trait *trait, bool memory_is_lacking)
{
    return trait->in_executable || trait->kind == TRAIT_JAVA || trait->kind == TRAIT_V8 ||
           trait->kind == TRAIT_OTHER_LIBC || memory_is_lacking;
}

static void add(struct plausibility *found, enum doubt_kind kind, const struct trait *trait)
{
    if (found->count < DOUBTS_MAX)
        found->doubts[found->count++] = (struct doubt){kind, trait};
}

/* Allocators first: what they hide is what was asked for.  The number added. */
static size_t add_traits(const struct recording *recording, struct plausibility *found,
                         bool allocators)
{
    size_t before = found->count;
    for (size_t i = 0; i < recording->traits.count; i++) {
        const struct trait *trait = &recording->traits.items[i];
        if (!trait->is_seen && trait_is_allocator(trait->kind) == allocators &&
            is_in_use(trait, found->lacks_memory))
            add(found, DOUBT_RUNTIME, trait);
    }
    return found->count - before;
}

void plausible_check(const struct recording *recording, struct plausibility *found)
{
    *found = (struct plausibility){.lacks_memory = false};
    if (!recording_traces_heap(recording) || recording_is_of_profiles(recording))
        return; /* and says nothing of it, or only what a runtime counted itself */
    found->lacks_memory = lacks_memory(recording);
    if (recording->quality.off_ns)
        add(found, DOUBT_OFF, NULL);
    size_t allocators = add_traits(recording, found, true);
    size_t explained = found->count + add_traits(recording, found, false);
    if (!explained && recording_counts_blocks(recording) &&
        recording->heap.calls + recording->pools.calls == 0)
        add(found, DOUBT_NOTHING, NULL);
    else if (!explained && found->lacks_memory)
        add(found, DOUBT_MEMORY, NULL);
    if (!allocators && !recording->quality.off_ns && lacks_frees(recording))
        add(found, DOUBT_NO_FREES, NULL);
}
