/* SPDX-License-Identifier: Apache-2.0 */
#include "rings.h"

#include <string.h>
#include <unistd.h>

#include "capture/wiped_arena.h"
#include "check.h"
#include "program_side.h"
#include "machine/processor.h"
#include "tracer/process/arena_raise.h"
#include "tracer/hooks/confine_hooks.h"
#include "tracer/process/real.h"
#include "tracer/rings/record.h"
#include "tracer/rings/ring.h"
#include "tracer/rings/sample.h"
#include "tracer/stacks/stack.h"
#include "tracer/stacks/tables.h"

struct rings rings;

/* ---- what the rest of the library has ---- */

struct tracer_process tracer_process = {.alive = &rings.alive, .rate = &sample_no_rate};
struct real_functions real;
_Atomic uint64_t rule_generation;

bool tracer_recorder_is_dead(void)
{
    return rings.recorder_is_dead;
}

void tracer_turn_off(void)
{
    rings.turned_off++;
    rings.alive = 0;
}

bool tracer_revive(void)
{
    static uint64_t revived = 1u << 20;
    if (rings.may_revive)
        rings.alive = ++revived;
    return rings.may_revive;
}

bool tracer_is_confined(void)
{
    return rings.is_confined;
}

uint32_t stack_capture_changed(struct arena_slot *slot, void *hook_frame)
{
    CHECK(slot == tracer_self.slot);
    rings.stack_frame = hook_frame;
    return rings.node;
}

/* ---- what a test needs ---- */

static void forget_process(void)
{
    struct arena_header *header = program_side(rings.arena);
    atomic_store(&header->clock, 1);
    atomic_store(&header->rate, RATE_FULL);
    atomic_store(&header->samples_dropped, 0);
    atomic_store(&header->progress, 0);
    atomic_store(&header->longest_wait_ns, 0);
    atomic_store(&header->off, 0);
    atomic_store(&header->sleeping, 0);
    atomic_store(&header->serials, 0);
    atomic_store(&header->unlisted_processes, 0);
    header->slot_limit = 0;
    header->target_pid = 0;
    memset(&tracer_tables, 0, sizeof(tracer_tables));
    tables_adopt(rings.arena->memory);
    tracer_process.arena = rings.arena->memory;
    tracer_process.header = header;
    tracer_process.rate = &header->rate;
    tracer_process.process = 0;
    tracer_process.pid = tracer_process.local_pid = (uint32_t)getpid();
    atomic_store(&arena_process_at(program_side(rings.arena), 0)->state, PROCESS_RUNNING);
    arena_raise(&header->process_high, 0);
}

int rings_begin(void **state)
{
    static uint64_t epochs;
    (void)state;
    rings = (struct rings){.arena = wiped_arena(), .alive = ++epochs, .node = TRIE_FIRST_NODE};
    forget_process();
    sample_forget_all();
    sample_ever = false;
    record_forget();
    tracer_self.slot = NULL;
    tracer_self.rate = RATE_FULL;
    tracer_self.quota = 0;
    tracer_self.busy = THREAD_NEW;
    real.malloc_usable_size = NULL;
    return 0;
}

struct arena_slot *rings_own_slot(void)
{
    CHECK(arena_enter());
    struct arena_slot *slot = own_slot();
    arena_leave();
    CHECK(slot != NULL);
    return slot;
}

void rings_allocate(uint64_t address, size_t size)
{
    record_block((void *)address, size, 0, __builtin_frame_address(0));
}

void rings_release(uint64_t address)
{
    record_free((void *)address, SIZE_UNKNOWN);
}

bool rings_next(struct arena_slot *slot, struct ring_event *event)
{
    uint64_t const tail = atomic_load(&slot->tail), head = atomic_load(&slot->head);
    const uint64_t *ring = arena_slot_ring(slot);
    CHECK(head == slot->next && tail <= head && head - tail <= RING_WORDS);
    if (tail == head)
        return false;
    event->type = event_type_of(ring[tail % RING_WORDS]);
    event->count = event_length(ring[tail % RING_WORDS]);
    CHECK(event->count > 0 && event->count <= 32 && tail + event->count <= head);
    for (unsigned i = 0; i < event->count; i++)
        event->words[i] = ring[(tail + i) % RING_WORDS];
    atomic_store(&slot->tail, tail + event->count);
    return true;
}

bool rings_next_but_times(struct arena_slot *slot, struct ring_event *event)
{
    while (rings_next(slot, event)) {
        if (event->type == EVENT_TIME)
            CHECK(event->words[0] >> 4 <= processor_ticks());
        else if (event->type == EVENT_THREAD)
            CHECK(event->words[0] == slot->thread_word && event->words[1] <= processor_ticks());
        else
            return true;
    }
    return false;
}

void rings_empty(struct arena_slot *slot)
{
    atomic_store(&slot->tail, atomic_load(&slot->head));
}

void rings_fill(struct arena_slot *slot)
{
    while (ring_room(slot) > 0) {
        CHECK(ring_begin(slot, (struct event_weight){0, 0, 0, 0}));
        ring_put1(slot, EVENT_OUTCOME);
    }
}
