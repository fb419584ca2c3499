/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/rings/thin.h"

#include "tracer/rings/ring.h"
#include "tracer/rings/sample.h"
#include "wire/invariant.h"

#define BEGIN_BELOW (RING_WORDS / 8)
#define END_ABOVE   (RING_WORDS / 4 * 3)

void thin_consider(struct arena_slot *slot, uint64_t left)
{
    if (left >= BEGIN_BELOW || slot->thin || tracer_self.rate != RATE_FULL ||
        atomic_load_explicit(&tracer_process.header->longest_wait_ns, memory_order_relaxed) == 0)
        return;
    slot->thin = 1;
    slot->thin_quota = sample_draw(&tracer_self.random, RATE_THIN);
}

bool thin_leaves_out(struct arena_slot *slot, size_t size)
{
    INVARIANT(slot->thin);
    if (tracer_self.rate != RATE_FULL || ring_room(slot) > END_ABOVE) {
        slot->thin = 0;
        return false;
    }
    if (size < slot->thin_quota) {
        slot->thin_quota -= size + 1;
        slot->thinned_calls++;
        slot->thinned_bytes += size;
        return true;
    }
    slot->thin_quota = sample_draw(&tracer_self.random, RATE_THIN);
    return false;
}
