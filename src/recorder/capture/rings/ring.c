/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/ring.h"

#include "base/invariant.h"
#include "wire/event.h"

void ring_give_room(struct ring *ring)
{
    INVARIANT(ring_is_valid(ring));
    shared_set(ring->slot, tail, ring_consumed(ring));
    if (shared_get(ring->slot, waiting) && shared_swap(ring->slot, waiting, 0))
        shared_wake(ring->slot, waiting, 1);
}

bool ring_is_valid(const struct ring *ring)
{
    bool const is_spilt = ring->spill_to > ring->tail;
    return ring->spill_from <= ring->spill_to &&
           ring->spill_to - ring->spill_from <= ring->spill_room &&
           (!is_spilt || ring->spill_from <= ring->tail) && ring_consumed(ring) >= ring->tail;
}

/* Whether the ring stands before a record whose other half will never come: its thread was
 * killed between the two. */
static bool is_cut_off(const struct ring *ring, uint64_t head)
{
    return ring->blocked && head - ring->tail == event_words(EVENT_UNMAP) &&
           event_type_of(ring_word(ring, ring->tail)) == EVENT_UNMAP;
}

bool ring_is_past(const struct ring *ring, uint64_t head)
{
    uint64_t const taken = ring_consumed(ring);
    bool const can_be = head <= taken || head - taken <= RING_WORDS;
    return head <= ring->tail || !can_be || is_cut_off(ring, head);
}
