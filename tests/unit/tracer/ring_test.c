/* SPDX-License-Identifier: Apache-2.0 */
/* ring_test.c - what is written to a ring, against a plain list; and what becomes of events that
 * find it full. */
#include "machine/processor.h"
#include "tracer/process/arena_raise.h"
#include "tracer/rings/ring.h"

#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <stdlib.h>
#include <unistd.h>

#include "check.h"
#include "program_side.h"
#include "random.h"
#include "rings.h"
#include "tracer/process/raw_syscall.h"

static const struct event_weight light = {0, 0, 0, 0};

static struct arena_header *header(void)
{
    return program_side(rings.arena);
}

/* ---- order, room and wrap-around ---- */

#define STEPS 150000u
#define WORDS 1000000u

struct model {
    uint64_t words[WORDS]; /* all that was written, without times */
    uint64_t written, read, last_time;
};

static void write_one(struct model *model, struct arena_slot *slot, struct random *random)
{
    static const enum event_type types[] = {EVENT_NONE, EVENT_FREE, EVENT_UNMAP, EVENT_MAP,
                                            EVENT_ALLOC_BIG};
    unsigned const count = 1 + (unsigned)random_below(random, 4);
    uint64_t *words = model->words + model->written;
    words[0] = random_next(random) << 4 | types[count];
    for (unsigned i = 1; i < count; i++)
        words[i] = random_next(random);
    CHECK(ring_begin(slot, (struct event_weight){0, 0, 0, random_below(random, 3000)}));
    if (count == 1)
        ring_put1(slot, words[0]);
    else if (count == 2)
        ring_put2(slot, words[0], words[1]);
    else
        ring_put(slot, words, count);
    model->written += count;
}

static void read_one(struct model *model, struct arena_slot *slot)
{
    struct ring_event event;
    if (!rings_next(slot, &event)) {
        CHECK(model->read == model->written);
    } else if (event.type == EVENT_TIME) {
        uint64_t const time = event.words[0] >> 4;
        CHECK(time > model->last_time && time <= processor_ticks() && time <= slot->last_time);
        model->last_time = time;
    } else if (event.type == EVENT_THREAD) {
        CHECK(model->read == 0 && event.words[0] == slot->thread_word);
    } else {
        CHECK(model->read + event.count <= model->written);
        for (unsigned i = 0; i < event.count; i++)
            CHECK(event.words[i] == model->words[model->read + i]);
        model->read += event.count;
    }
}

static void check_room(struct arena_slot *slot)
{
    uint64_t const used = atomic_load(&slot->head) - atomic_load(&slot->tail);
    uint64_t const most = RING_WORDS - RING_MARGIN;
    CHECK(ring_room(slot) == (used < most ? most - used : 0));
    CHECK(used <= RING_WORDS);
}

TEST(what_is_written_is_read_in_order_however_often_the_ring_begins_anew)
{
    static struct model model;
    struct random random = random_from(1);
    struct arena_slot *slot = rings_own_slot();
    uint64_t const first = slot->next;
    for (unsigned step = 0; step < STEPS; step++) {
        if (random_below(&random, 5) == 0)
            atomic_fetch_add(&header()->clock, random_below(&random, 2));
        check_room(slot);
        if (ring_room(slot) > 0)
            write_one(&model, slot, &random);
        /* a reader that is ahead at times, and at times far behind */
        bool const is_eager = step / 30000 % 2 == 1 || ring_room(slot) == 0;
        for (unsigned i = 0; is_eager && i < 30; i++)
            read_one(&model, slot);
    }
    while (model.read < model.written)
        read_one(&model, slot);
    CHECK(slot->next - first > 4 * RING_WORDS && model.written > 300000);
    CHECK(slot->waits == 0 && slot->lost == 0 && slot->gap_events == 0);
}

TEST(a_new_ring_says_first_whose_it_is)
{
    struct ring_event event;
    struct arena_slot *slot = rings_own_slot();
    CHECK(ring_begin(slot, light));
    CHECK(rings_next(slot, &event) && event.type == EVENT_THREAD);
    CHECK(event.words[0] >> 32 == (uint32_t)raw_syscall3(SYS_gettid, 0, 0, 0));
    CHECK((event.words[0] >> 16 & 0xffff) == tracer_process.process);
    uint64_t const began = event.words[1];
    CHECK(rings_next(slot, &event) && event.type == EVENT_TIME); /* its first has a time */
    CHECK(event.words[0] >> 4 >= began && event.words[0] >> 4 == slot->last_time);
    CHECK(!rings_next(slot, &event));
    CHECK(ring_begin(slot, light) && !rings_next(slot, &event)); /* and it is said once */
}

/* ---- stamps ---- */

/* How many events, each of `moved` bytes, come before one that is stamped. */
static unsigned count_quiet(struct arena_slot *slot, uint64_t moved)
{
    struct ring_event event;
    for (unsigned count = 0; count < 1000; count++) {
        rings_empty(slot);
        CHECK(ring_begin(slot, (struct event_weight){1, moved, 0, moved}));
        if (rings_next(slot, &event) && event.type == EVENT_TIME)
            return count;
    }
    return 1000;
}

TEST(while_the_clock_stands_every_so_many_events_are_stamped)
{
    struct arena_slot *slot = rings_own_slot();
    count_quiet(slot, 0);
    for (unsigned i = 0; i < 3; i++)
        CHECK(count_quiet(slot, 0) == QUIET_MAX);
    CHECK(count_quiet(slot, QUIET_BYTES - 1) == QUIET_MAX);
    CHECK(count_quiet(slot, QUIET_BYTES) == QUIET_MAX / 2); /* each counts as two */
    CHECK(count_quiet(slot, 63 * QUIET_BYTES) == 2);
    CHECK(count_quiet(slot, 1 << 20) == 0);
    arena_raise(&header()->slot_high, 1); /* another thread: the order matters */
    CHECK(ring_is_one_of_several());
    count_quiet(slot, 0);
    for (unsigned i = 0; i < 3; i++)
        CHECK(count_quiet(slot, 0) == QUIET_SHARED);
    CHECK(count_quiet(slot, ORDER_UNSURE_BYTES) == 0);
}

TEST(a_new_clock_word_is_stamped_at_once)
{
    struct arena_slot *slot = rings_own_slot();
    struct ring_event event;
    count_quiet(slot, 0);
    for (unsigned i = 0; i < 10; i++) {
        uint64_t const before = processor_ticks();
        atomic_fetch_add(&header()->clock, 1);
        CHECK(ring_begin(slot, light) && rings_next(slot, &event) && event.type == EVENT_TIME);
        CHECK(event.words[0] >> 4 >= before && event.words[0] >> 4 <= processor_ticks());
        CHECK(slot->last_clock == atomic_load(&header()->clock));
        CHECK(ring_begin(slot, light) && !rings_next(slot, &event));
    }
}

TEST(without_a_clock_the_threads_read_the_time_themselves)
{
    struct arena_slot *slot = rings_own_slot();
    struct ring_event event;
    atomic_store(&header()->clock, 0);
    count_quiet(slot, 0);
    for (unsigned i = 0; i < 10; i++) {
        uint64_t const before = slot->last_time;
        while (processor_ticks() - before < 1u << 12)
            continue;
        CHECK(ring_begin(slot, light) && rings_next(slot, &event) && event.type == EVENT_TIME);
        CHECK(event.words[0] >> 4 == slot->last_time && slot->last_time > before);
        /* as long as nothing happens in between, that is the time of what follows, but not of more
         * than a few */
        CHECK(count_quiet(slot, 0) <= QUIET_SHARED);
    }
    slot->last_time = UINT64_MAX >> 4; /* a processor whose time is behind */
    CHECK(ring_begin(slot, (struct event_weight){0, 0, 0, 1 << 20}) && !rings_next(slot, &event));
    CHECK(slot->last_time == UINT64_MAX >> 4);
}

TEST(events_in_quick_succession_share_a_stamp)
{
    struct arena_slot *slot = rings_own_slot();
    struct ring_event event;
    unsigned shared = 0;
    atomic_store(&header()->clock, 0);
    for (unsigned i = 0; i < 100000; i++) {
        rings_empty(slot);
        CHECK(ring_begin(slot, light));
        shared += !rings_next(slot, &event);
    }
    CHECK(shared > 0); /* however often somebody else had the processor */
}

TEST(an_instant_is_later_than_all_before)
{
    struct arena_slot *slot = rings_own_slot();
    struct ring_event event;
    CHECK(ring_begin(slot, light));
    rings_empty(slot);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t const before = slot->last_time, now = processor_ticks();
        uint64_t const instant = ring_put_instant(slot);
        CHECK(instant > before && instant >= now && instant <= processor_ticks());
        CHECK(rings_next(slot, &event) && event.words[0] == (instant << 4 | EVENT_TIME));
        CHECK(slot->last_time == instant && atomic_load(&header()->clock) == instant);
    }
    uint64_t const far = slot->last_time = processor_ticks() + (1ull << 50);
    CHECK(ring_put_instant(slot) == far + 1);
}

/* ---- who waits, and how long ---- */

struct late_reader {
    struct arena_slot *slot;
    unsigned rounds_without; /* that read something, and leave no room in this ring */
};

static void wake(struct arena_slot *slot)
{
    raw_syscall3(SYS_futex, (long)&slot->waiting, FUTEX_WAKE, 1);
}

static void *read_late(void *context)
{
    struct late_reader *reader = context;
    for (unsigned i = 0; i <= reader->rounds_without; i++) {
        while (atomic_load(&reader->slot->waiting) == 0)
            sched_yield();
        atomic_fetch_add(&header()->progress, 1);
        if (i == reader->rounds_without)
            rings_empty(reader->slot);
        atomic_store(&reader->slot->waiting, 0);
        wake(reader->slot);
    }
    return NULL;
}

TEST(a_full_ring_is_waited_for_and_nothing_is_lost)
{
    struct arena_slot *slot = rings_own_slot();
    for (unsigned i = 0; i < 4; i++) {
        struct late_reader reader = {slot, i};
        pthread_t thread;
        rings_fill(slot);
        CHECK(pthread_create(&thread, NULL, read_late, &reader) == 0);
        uint64_t const waited = slot->wait_ticks, began = processor_ticks();
        atomic_store(&header()->sleeping, 1);
        CHECK(ring_begin(slot, (struct event_weight){1, 100, 0, 100}));
        CHECK(slot->waits == i + 1 && atomic_load(&slot->waiting) == 0);
        CHECK(slot->wait_ticks > waited && slot->wait_ticks - waited <= processor_ticks() - began);
        CHECK(atomic_load(&header()->sleeping) == 0); /* who is waited for is woken */
        pthread_join(thread, NULL);
    }
    CHECK(slot->lost == 0 && slot->gap_events == 0 && slot->thin == 0);
}

/* Events that find no room, and the record that tells of them, against plain sums. */
static void lose_some(struct arena_slot *slot, struct random *random)
{
    struct event_weight sum = {0, 0, 0, 0};
    struct ring_event event;
    uint64_t const lost_before = slot->lost, waits = slot->waits,
                   count = 1 + random_below(random, 9);
    rings_fill(slot);
    uint64_t const began = processor_ticks();
    for (uint64_t i = 0; i < count; i++) {
        struct event_weight const weight = {random_below(random, 2), random_below(random, 10000),
                                            random_below(random, 2), 0};
        CHECK(!ring_begin(slot, weight));
        sum.calls += weight.calls, sum.bytes += weight.bytes, sum.frees += weight.frees;
        if (random_below(random, 2)) /* room for one more is not room for the gap's end */
            CHECK(ring_room(slot) == 0);
    }
    uint64_t const ended = processor_ticks();
    CHECK(slot->lost == lost_before + count && slot->gap_events == count);
    CHECK(slot->waits == waits + 1); /* for the first of them alone */
    rings_empty(slot);
    CHECK(ring_begin(slot, light));
    CHECK(rings_next(slot, &event) && event.type == EVENT_TIME && event.words[0] >> 4 >= ended);
    CHECK(rings_next(slot, &event) && event.type == EVENT_GAP && event.count == 6);
    CHECK(event.words[0] == EVENT_GAP && event.words[1] == count && event.words[2] == sum.calls);
    CHECK(event.words[3] == sum.bytes && event.words[4] == sum.frees);
    CHECK(event.words[5] >= began && event.words[5] <= ended);
    CHECK(slot->gap_events == 0 && slot->gap_calls == 0 && slot->gap_bytes == 0);
    CHECK(slot->gap_frees == 0);
    rings_empty(slot);
    CHECK(ring_begin(slot, light) && (!rings_next(slot, &event) || event.type == EVENT_TIME));
}

TEST(what_finds_no_room_in_time_is_counted_and_told)
{
    struct arena_slot *slot = rings_own_slot();
    struct random random = random_from(2);
    atomic_store(&header()->longest_wait_ns, 1);
    for (unsigned i = 0; i < 20; i++)
        lose_some(slot, &random);
}

static uint64_t now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000 + (uint64_t)now.tv_nsec;
}

TEST(the_longest_wait_is_waited)
{
    struct arena_slot *slot = rings_own_slot();
    atomic_store(&header()->longest_wait_ns, 30000000);
    rings_fill(slot);
    uint64_t const began = now_ns();
    CHECK(!ring_begin(slot, light));
    CHECK(now_ns() - began >= 30000000 && slot->waits == 1);
}

TEST(a_recorder_without_progress_is_waited_for_once)
{
    struct arena_slot *slot = rings_own_slot();
    atomic_store(&header()->progress, 77);
    rings_fill(slot);
    uint64_t const began = now_ns();
    CHECK(!ring_begin(slot, light)); /* after a second */
    CHECK(now_ns() - began >= 1000000000 && slot->waits == 1);
    rings_empty(slot);
    CHECK(ring_begin(slot, light));
    rings_fill(slot);
    CHECK(!ring_begin(slot, light) && slot->waits == 1); /* it is still stuck */
    rings_empty(slot);
    CHECK(ring_begin(slot, light));
    rings_fill(slot);
    atomic_fetch_add(&header()->progress, 1); /* and there it is again */
    atomic_store(&header()->longest_wait_ns, 1);
    CHECK(!ring_begin(slot, light) && slot->waits == 2);
}

TEST(a_recorder_that_died_turns_the_tracer_off)
{
    struct arena_slot *slot = rings_own_slot();
    CHECK(ring_begin(slot, light));
    rings_fill(slot);
    CHECK(rings.turned_off == 0);
    rings.recorder_is_dead = true;
    CHECK(!ring_begin(slot, (struct event_weight){1, 1, 1, 1}));
    CHECK(rings.turned_off == 1 && rings.alive == 0);
    CHECK(slot->lost == 0 && slot->gap_events == 0); /* there is nobody to tell */
}

TEST(a_recorder_that_is_done_turns_the_tracer_off)
{
    struct arena_slot *slot = rings_own_slot();
    atomic_store(&header()->off, 1);
    CHECK(!ring_begin(slot, light)); /* the first event looks */
    CHECK(rings.turned_off == 1 && slot->next == atomic_load(&slot->head) && slot->lost == 0);
}

/* Whoever waited in vain for a second takes the recorder for stuck, and does not wait again. */
static bool waited_in_vain(struct arena_slot *slot)
{
    uint64_t const waits = slot->waits;
    rings.alive = 1;
    atomic_store(&header()->off, 0);
    atomic_store(&header()->longest_wait_ns, 1);
    rings_empty(slot);
    CHECK(ring_begin(slot, light));
    rings_fill(slot);
    CHECK(!ring_begin(slot, light));
    return slot->waits == waits;
}

static void *turn_off(void *context)
{
    struct arena_slot *slot = context;
    while (atomic_load(&slot->waiting) == 0)
        sched_yield();
    atomic_store(&header()->off, 1);
    return NULL;
}

TEST(a_wait_ends_when_the_tracer_is_turned_off)
{
    struct arena_slot *slot = rings_own_slot();
    pthread_t thread;
    rings_fill(slot);
    rings.alive = 0; /* by another thread */
    CHECK(!ring_begin(slot, light) && slot->lost == 1 && !waited_in_vain(slot));
    rings_empty(slot);
    CHECK(ring_begin(slot, light));
    rings_fill(slot);
    atomic_store(&header()->longest_wait_ns, 0);
    CHECK(pthread_create(&thread, NULL, turn_off, slot) == 0);
    CHECK(!ring_begin(slot, light));
    pthread_join(thread, NULL);
    CHECK(!waited_in_vain(slot));
}

TEST(a_sleeping_recorder_is_woken_when_a_ring_is_half_full)
{
    struct arena_slot *slot = rings_own_slot();
    CHECK(ring_begin(slot, light));
    atomic_store(&header()->sleeping, 1);
    uint64_t const half = RING_WORDS / 2 - RING_MARGIN;
    uint64_t used;
    while (atomic_load(&header()->sleeping)) {
        used = slot->next - atomic_load(&slot->tail);
        CHECK(used <= half + EVENT_WORDS_MAX + RING_MARGIN);
        CHECK(ring_begin(slot, light));
        ring_put2(slot, EVENT_UNMAP, 0);
    }
    CHECK(used >= half - EVENT_WORDS_MAX);
    rings_empty(slot);
    slot->look_at = 0;
    atomic_store(&header()->sleeping, 1);
    CHECK(ring_begin(slot, light) && atomic_load(&header()->sleeping) == 1);
}

TEST(the_kernel_is_asked_for_the_time)
{
    uint64_t const before = now_ns(), asked = ring_clock_ns();
    CHECK(asked >= before && asked <= now_ns());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_written_is_read_in_order_however_often_the_ring_begins_anew,
                               rings_begin),
        cmocka_unit_test_setup(a_new_ring_says_first_whose_it_is, rings_begin),
        cmocka_unit_test_setup(while_the_clock_stands_every_so_many_events_are_stamped,
                               rings_begin),
        cmocka_unit_test_setup(a_new_clock_word_is_stamped_at_once, rings_begin),
        cmocka_unit_test_setup(without_a_clock_the_threads_read_the_time_themselves, rings_begin),
        cmocka_unit_test_setup(events_in_quick_succession_share_a_stamp, rings_begin),
        cmocka_unit_test_setup(an_instant_is_later_than_all_before, rings_begin),
        cmocka_unit_test_setup(a_full_ring_is_waited_for_and_nothing_is_lost, rings_begin),
        cmocka_unit_test_setup(what_finds_no_room_in_time_is_counted_and_told, rings_begin),
        cmocka_unit_test_setup(the_longest_wait_is_waited, rings_begin),
        cmocka_unit_test_setup(a_recorder_without_progress_is_waited_for_once, rings_begin),
        cmocka_unit_test_setup(a_recorder_that_died_turns_the_tracer_off, rings_begin),
        cmocka_unit_test_setup(a_recorder_that_is_done_turns_the_tracer_off, rings_begin),
        cmocka_unit_test_setup(a_wait_ends_when_the_tracer_is_turned_off, rings_begin),
        cmocka_unit_test_setup(a_sleeping_recorder_is_woken_when_a_ring_is_half_full, rings_begin),
        cmocka_unit_test_setup(the_kernel_is_asked_for_the_time, rings_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
