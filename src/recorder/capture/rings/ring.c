/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/ring.h"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "base/invariant.h"
#include "wire/event.h"

void ring_give_room(struct ring *ring)
{
    INVARIANT(ring_is_valid(ring));
    atomic_store_explicit(&ring->slot->tail, ring_taken(ring), memory_order_release);
    if (atomic_load(&ring->slot->waiting) && atomic_exchange(&ring->slot->waiting, 0))
        syscall(SYS_futex, &ring->slot->waiting, FUTEX_WAKE, 1, NULL, NULL, 0);
}

bool ring_is_valid(const struct ring *ring)
{
    bool const is_spilt = ring->spill_to > ring->tail;
    return ring->spill_from <= ring->spill_to &&
           ring->spill_to - ring->spill_from <= ring->spill_room &&
           (!is_spilt || ring->spill_from <= ring->tail) && ring_taken(ring) >= ring->tail;
}

/* Whether the ring stands before a record whose other half will never come: its thread was killed between the two. */
static bool is_cut_off(const struct ring *ring, uint64_t head)
{
    return ring->blocked && head - ring->tail == event_words(EVENT_UNMAP) &&
           event_type_of(ring_word(ring, ring->tail)) == EVENT_UNMAP;
}

bool ring_is_past(const struct ring *ring, uint64_t head)
{
    uint64_t const taken = ring_taken(ring);
    bool const can_be = head <= taken || head - taken <= RING_WORDS;
    return head <= ring->tail || !can_be || is_cut_off(ring, head);
}
