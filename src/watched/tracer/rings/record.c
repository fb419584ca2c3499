/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/rings/record.h"

#include "tracer/rings/sample.h"

#include "tracer/process/raw_syscall.h"
#include "wire/invariant.h"

_Alignas(4096) uint16_t event_numbers[EVENT_GROUPS];

/* Events of a thread that got no slot are at least in the totals. */
void record_slotless(uint64_t calls, uint64_t bytes, uint64_t frees)
{
    struct arena_process *process = arena_process_at(tracer_process.arena, tracer_process.process);
    atomic_fetch_add(&process->lost, 1);
    atomic_fetch_add(&process->calls, calls);
    atomic_fetch_add(&process->bytes, bytes);
    atomic_fetch_add(&process->frees, frees);
}

void record_big(struct arena_slot *slot, void *block, uint32_t stack, size_t size, uint64_t usable)
{
    uint64_t words[4] = {(uint64_t)block << 16 | next_number(block) | EVENT_ALLOC_BIG, stack, size,
                         usable};
    ring_put(slot, words, 4);
}

bool record_move(void *block, uint64_t size)
{
    struct arena_slot *slot = own_slot();
    if (unlikely(!slot))
        return false;
    slot->last_before = slot->last_block;
    uint64_t word = free_word(slot, block);
    if (unlikely(!ring_begin(slot, (struct event_weight){0, 0, 1, size})))
        return false;
    ring_put1(slot, word | next_number(block) | EVENT_MOVE);
    return true;
}

void record_moved_block(bool began, void *block, size_t size, uint64_t usable, void *hook_frame)
{
    struct arena_slot *slot = tracer_self.slot;
    if (unlikely(!slot)) {
        record_slotless(block != NULL, block ? size : 0, block || size == 0);
        return;
    }
    if (block) {
        note_alloc(slot, block);
        if (unlikely(!began))
            slot->gap_calls++, slot->gap_bytes += size;
        else if (unlikely(slot->thin) && thin_leaves_out(slot, size))
            ring_put1(slot, (uint64_t)OUTCOME_DONE << 4 | EVENT_OUTCOME);
        else
            put_alloc(slot, block, size, usable, stack_capture(slot, hook_frame));
        slot->frees++;
        count_alloc(slot, size);
    } else {
        bool freed = size == 0;
        if (!freed) { /* nothing happened */
            slot->last_block = slot->last_before;
            slot->gap_frees -= !began;
        }
        if (began)
            ring_put1(slot, (uint64_t)(freed ? OUTCOME_DONE : OUTCOME_FAILED) << 4 | EVENT_OUTCOME);
        slot->frees += freed;
    }
}

void record_resize(struct resizing *resizing, uint64_t size)
{
    resizing->followed = sample_wants_free(resizing->block);
    resizing->began = resizing->followed && record_move(resizing->block, size);
}

void record_resized(const struct resizing *resizing, void *moved, size_t size, uint64_t usable,
                    void *hook_frame)
{
    bool wants = moved && sample_wants(size, moved), followed = resizing->followed;
    if (followed && moved && !wants)
        record_moved_block(resizing->began, NULL, 0, 0, hook_frame); /* to us it ends here */
    else if (followed)
        record_moved_block(resizing->began, moved, size, usable, hook_frame);
    else if (wants)
        record_block(moved, size, usable, hook_frame);
    if (followed && !moved && size > 0 && *tracer_process.rate != RATE_FULL)
        sample_keep(resizing->block); /* it is still there */
}

void record_map(void *address, size_t length, void *hook_frame)
{
    struct arena_slot *slot = own_slot();
    if (!slot || !ring_begin(slot, (struct event_weight){0, 0, 0, 0}))
        return;
    uint64_t words[3] = {(uint64_t)address << 16 | EVENT_MAP, stack_capture(slot, hook_frame),
                         length};
    ring_put(slot, words, 3);
}

bool record_unmap(void *address, size_t length)
{
    struct arena_slot *slot = own_slot();
    if (!slot || !ring_begin(slot, (struct event_weight){0, 0, 0, 0}))
        return false;
    ring_put2(slot, (uint64_t)address << 16 | EVENT_UNMAP, length);
    return true;
}

void record_unmapped(bool began, bool done)
{
    INVARIANT(!began || tracer_self.slot);
    if (began)
        ring_put1(tracer_self.slot, (uint64_t)done << 4 | EVENT_OUTCOME);
}

void record_forget(void)
{
    raw_zero_pages(event_numbers, sizeof(event_numbers));
}
