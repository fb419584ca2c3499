/* SPDX-License-Identifier: Apache-2.0 */
#include "tracer/rings/ring.h"

#include <linux/futex.h>
#include <time.h>

#include "machine/processor.h"
#include "tracer/process/raw_syscall.h"
#include "tracer/rings/thin.h"
#include "wire/invariant.h"
#include "wire/time_units.h"

#define STALL_STEP 5000000ull     /* between two looks at the recorder */
#define STUCK_NS   NS_PER_SECOND  /* without progress: nobody waits for such a recorder */
#define STALL_MAX  60000000000ull /* whatever progress others make: a program never hangs on us */
/* In ticks: less than about 1 us is no new time. */
#define TICK_FINE (1u << 12)

void ring_put(struct arena_slot *slot, const uint64_t *words, unsigned count)
{
    INVARIANT(count > 0 && count <= RING_MARGIN);
    uint64_t head = slot->next;
    uint64_t *ring = arena_slot_ring(slot);
    for (unsigned i = 0; i < count; i++)
        ring[(head + i) % RING_WORDS] = words[i];
    slot->next = head + count;
    atomic_store_explicit(&slot->head, head + count, memory_order_release);
}

void ring_tick(struct arena_slot *slot, uint64_t clock)
{
    /* The word only says that time has passed. */
    uint64_t now = processor_ticks_in_order();
    uint64_t passed = now > slot->last_time ? now - slot->last_time : 0;
    if (clock == 0 && slot->last_clock == 0 && passed < TICK_FINE &&
        slot->quiet_events <= QUIET_MAX + QUIET_SHARED)
        return; /* and the next event asks again */
    slot->last_clock = clock;
    /* The next stamp is due: with a word of 0 at the next event; else when the word changes, or
     * after some events, sooner among several threads, where it tells whose event came first. */
    unsigned quiet = ring_is_one_of_several() ? QUIET_SHARED : QUIET_MAX;
    slot->quiet_events = QUIET_MAX - (clock == 0 ? 0 : quiet);
    if (passed == 0)
        return;
    slot->last_time = now;
    ring_put1(slot, now << 4 | EVENT_TIME);
}

void ring_wake_recorder(void)
{
    struct arena_header *header = tracer_process.header;
    if (atomic_load_explicit(&header->sleeping, memory_order_relaxed) &&
        atomic_exchange(&header->sleeping, 0))
        raw_syscall3(SYS_futex, (long)&header->sleeping, FUTEX_WAKE, 1);
}

uint64_t ring_room(const struct arena_slot *slot)
{
    uint64_t used = slot->next - atomic_load_explicit(&slot->tail, memory_order_acquire);
    return used + RING_MARGIN >= RING_WORDS ? 0 : RING_WORDS - RING_MARGIN - used;
}

uint64_t ring_put_instant(struct arena_slot *slot)
{
    uint64_t now = processor_ticks_in_order();
    if (now <= slot->last_time)
        now = slot->last_time + 1;
    INVARIANT(now > slot->last_time);
    slot->last_time = now;
    ring_put1(slot, now << 4 | EVENT_TIME);
    atomic_store(&tracer_process.header->clock, now);
    return now;
}

uint64_t ring_clock_ns(void)
{
    struct timespec now = {0, 0};
    raw_syscall3(SYS_clock_gettime, CLOCK_MONOTONIC, (long)&now, 0);
    return (uint64_t)now.tv_sec * NS_PER_SECOND + (uint64_t)now.tv_nsec;
}

/* The recorder's progress when it was found to be stuck, plus one; 0: it is not.  It is a pause:
 * as soon as there is progress, threads wait for room again. */
static _Atomic uint64_t stuck_at;

/* Whether a thread that finds its ring full is to wait, or goes on without being recorded. */
static bool recorder_is_stuck(void)
{
    uint64_t stuck = atomic_load_explicit(&stuck_at, memory_order_relaxed);
    return stuck != 0 && stuck == atomic_load(&tracer_process.header->progress) + 1;
}

/* A wait under way. */
struct stall {
    uint64_t start_ns, longest_ns;
    uint64_t progress, progress_ns; /* as last seen, and when that was new */
};

/* Whether it is worth to wait on. */
static bool stall_goes_on(struct stall *stall)
{
    struct arena_header *header = tracer_process.header;
    uint64_t now_ns = ring_clock_ns(), progress = atomic_load(&header->progress);
    if (progress != stall->progress) {
        stall->progress = progress;
        stall->progress_ns = now_ns;
    } else if (now_ns - stall->progress_ns >= STUCK_NS) {
        atomic_store(&stuck_at, progress + 1);
        return false;
    }
    return now_ns - stall->start_ns < stall->longest_ns && *tracer_process.alive &&
           !atomic_load(&header->off) && !tracer_recorder_is_dead();
}

static bool wait_for_room(struct arena_slot *slot)
{
    struct arena_header *header = tracer_process.header;
    uint64_t start_ticks = processor_ticks(), longest_ns = atomic_load(&header->longest_wait_ns);
    struct timespec step = {0, (long)STALL_STEP};
    struct stall stall = {.start_ns = ring_clock_ns(),
                          .longest_ns =
                              longest_ns && longest_ns < STALL_MAX ? longest_ns : STALL_MAX,
                          .progress = atomic_load(&header->progress)};
    stall.progress_ns = stall.start_ns;
    if (recorder_is_stuck())
        return false;
    slot->waits++;
    while (ring_room(slot) == 0 && stall_goes_on(&stall)) {
        ring_wake_recorder();
        atomic_store(&slot->waiting, 1);
        if (ring_room(slot) == 0)
            raw_syscall6(SYS_futex, (long)&slot->waiting, FUTEX_WAIT, 1, (long)&step, 0, 0);
    }
    atomic_store(&slot->waiting, 0);
    slot->wait_ticks += processor_ticks() - start_ticks;
    return ring_room(slot) > 0;
}

static void close_gap(struct arena_slot *slot)
{
    INVARIANT(slot->gap_events > 0);
    uint64_t words[6] = {EVENT_GAP,       slot->gap_events, slot->gap_calls,
                         slot->gap_bytes, slot->gap_frees,  slot->gap_start};
    slot->last_time = processor_ticks_in_order(); /* when it ended */
    ring_put1(slot, slot->last_time << 4 | EVENT_TIME);
    ring_put(slot, words, 6);
    slot->gap_events = slot->gap_calls = slot->gap_bytes = slot->gap_frees = 0;
}

static void announce(struct arena_slot *slot)
{
    INVARIANT(event_type_of(slot->thread_word) == EVENT_THREAD);
    uint64_t words[2] = {slot->thread_word, processor_ticks_in_order()};
    slot->announce = 0;
    ring_put(slot, words, 2);
}

bool ring_make_room(struct arena_slot *slot, struct event_weight weight)
{
    struct arena_header *header = tracer_process.header;
    if (atomic_load_explicit(&header->off, memory_order_relaxed)) {
        tracer_turn_off();
        return false;
    }
    if (ring_room(slot) == 0 && (slot->gap_events > 0 || !wait_for_room(slot))) {
        if (tracer_recorder_is_dead()) {
            tracer_turn_off();
            return false;
        }
        if (slot->gap_events++ == 0)
            slot->gap_start = processor_ticks();
        slot->gap_calls += weight.calls;
        slot->gap_bytes += weight.bytes;
        slot->gap_frees += weight.frees;
        slot->lost++;
        return false;
    }
    if (slot->announce)
        announce(slot);
    if (slot->gap_events > 0)
        close_gap(slot);
    uint64_t left = ring_room(slot);
    if (left < RING_WORDS / 2)
        ring_wake_recorder();
    slot->look_at = slot->next + (left > RING_WORDS / 2 ? left - RING_WORDS / 2 : left / 4);
    INVARIANT(slot->look_at >= slot->next && slot->gap_events == 0);
    thin_consider(slot, left);
    return true;
}
