/* SPDX-License-Identifier: Apache-2.0 */
/* thin_test.c - what becomes of events while the recorder cannot keep up and the program must not
 * wait: some are left out, some lost, and all are in the sums. */
#include "tracer/rings/thin.h"

#include "check.h"
#include "program_side.h"
#include "random.h"
#include "rings.h"
#include "tracer/rings/record.h"

#define HERE __builtin_frame_address(0)

static struct random random_numbers;
static struct arena_slot *slot;

static struct arena_header *header(void)
{
    return program_side(rings.arena);
}

struct sums {
    uint64_t calls, bytes, frees;
};

/* Of all that was written. */
static void add_read(struct sums *sums)
{
    struct ring_event event, before = {.type = EVENT_NONE};
    while (rings_next_but_times(slot, &event)) {
        bool const is_alloc = event.type == EVENT_ALLOC || event.type == EVENT_PAIR;
        CHECK(before.type != EVENT_MOVE || is_alloc || event.type == EVENT_ALLOC_BIG ||
              event.type == EVENT_OUTCOME || event.type == EVENT_RATE);
        sums->calls += is_alloc || event.type == EVENT_ALLOC_BIG;
        sums->bytes += is_alloc ? event.words[1] & (EVENT_SIZE_LIMIT - 1) : 0;
        sums->bytes += event.type == EVENT_ALLOC_BIG ? event.words[2] : 0;
        sums->frees +=
            event.type == EVENT_FREE || event.type == EVENT_PAIR || event.type == EVENT_MOVE;
        if (event.type == EVENT_OUTCOME && before.type == EVENT_MOVE && !(event.words[0] >> 4))
            sums->frees--;
        if (event.type == EVENT_GAP) {
            sums->calls += event.words[2];
            sums->bytes += event.words[3];
            sums->frees += event.words[4];
        }
        if (event.type != EVENT_RATE)
            before = event;
    }
}

static void do_something(uint64_t *calls, uint64_t *bytes, uint64_t *frees)
{
    uint64_t const size = random_below(&random_numbers, 300);
    void *block = (void *)(0x10000 + 16 * random_below(&random_numbers, 64));
    unsigned const kind = (unsigned)random_below(&random_numbers, 8);
    if (kind < 3) {
        record_block(block, size, 0, HERE);
        ++*calls, *bytes += size;
    } else if (kind < 6) {
        record_free(block, size);
        ++*frees;
    } else {
        bool const began = record_move(block, size);
        bool const is_there = kind == 7;
        record_moved_block(began, is_there ? block : NULL, size, 0, HERE);
        *calls += is_there, *bytes += is_there ? size : 0;
        *frees += is_there || size == 0;
    }
}

TEST(what_is_read_and_lost_and_left_out_is_all)
{
    uint64_t calls = 0, bytes = 0, frees = 0;
    struct sums sums = {0, 0, 0};
    random_numbers = random_from(4);
    slot = rings_own_slot();
    atomic_store(&header()->longest_wait_ns, 1);
    for (unsigned round = 0; round < 12; round++) {
        uint64_t const steps = random_below(&random_numbers, 80000);
        for (uint64_t i = 0; i < steps; i++)
            do_something(&calls, &bytes, &frees);
        add_read(&sums);
    }
    CHECK(slot->lost > 1000 && slot->thinned_calls > 1000);
    CHECK(slot->calls == calls && slot->bytes == bytes && slot->frees == frees);
    sums.calls += slot->thinned_calls + slot->gap_calls;
    sums.bytes += slot->thinned_bytes + slot->gap_bytes;
    CHECK(sums.calls == calls && sums.bytes == bytes && sums.frees + slot->gap_frees == frees);
}

/* ---- samples while the ring is nearly full ---- */

TEST(allocations_are_thinned_only_when_a_ring_is_nearly_full_and_must_not_be_waited_for)
{
    slot = rings_own_slot();
    thin_consider(slot, 0);
    CHECK(!slot->thin); /* it may be waited for */
    atomic_store(&header()->longest_wait_ns, 1);
    thin_consider(slot, RING_WORDS / 8);
    CHECK(!slot->thin);
    tracer_self.rate = 4096; /* samples anyway */
    thin_consider(slot, 0);
    CHECK(!slot->thin);
    tracer_self.rate = RATE_FULL;
    thin_consider(slot, RING_WORDS / 8 - 1);
    CHECK(slot->thin);
    slot->thin_quota = 77;
    thin_consider(slot, 0);
    CHECK(slot->thin_quota == 77); /* drawn once */
}

TEST(what_is_thinned_is_counted_and_all_is_recorded_again_in_an_empty_ring)
{
    struct ring_event event;
    uint64_t left_out = 0, bytes = 0, taken = 0;
    slot = rings_own_slot();
    atomic_store(&header()->longest_wait_ns, 1);
    rings_fill(slot);
    CHECK(slot->thin);
    atomic_store(&slot->tail, slot->next - RING_WORDS / 4); /* END_ABOVE, but for the margin */
    for (unsigned i = 0; i < 100000; i++) {
        if (thin_leaves_out(slot, i % 100))
            left_out++, bytes += i % 100;
        else
            taken++;
    }
    CHECK(slot->thin && slot->thinned_calls == left_out && slot->thinned_bytes == bytes);
    double const expected = 100000 * 50.5 / RATE_THIN;
    CHECK(taken > expected / 2 && taken < expected * 2);
    slot->thin_quota = 10;
    CHECK(thin_leaves_out(slot, 9) && slot->thin_quota == 0 && !thin_leaves_out(slot, 0));
    slot->thin_quota = 10;
    CHECK(!thin_leaves_out(slot, 10)); /* the byte that the quota ended at */
    /* a block of a thinned thread: its rate goes before it, and its end is not temporary */
    slot->thin_quota = 0;
    slot->look_at = UINT64_MAX;
    slot->rate = RATE_FULL;
    atomic_store(&slot->tail, slot->next - RING_WORDS / 2);
    record_block((void *)0x1000, 8, 8, HERE);
    rings_empty(slot);
    CHECK(slot->rate == (EVENT_RATE_THINNED | RATE_THIN) && slot->thin && slot->thin_quota > 0);
    slot->thin_quota = 1 << 20;
    atomic_store(&slot->tail, slot->next - RING_WORDS / 2);
    uint64_t const calls = slot->calls, head = slot->next;
    record_block((void *)0x2000, 8, 8, HERE);
    CHECK(slot->next == head && slot->calls == calls + 1);
    record_free((void *)0x2000, 8);
    rings_empty(slot);
    record_block((void *)0x3000, 8, 8, HERE);
    CHECK(rings_next_but_times(slot, &event) && event.type == EVENT_RATE &&
          event.words[0] >> 4 == 0);
    CHECK(rings_next_but_times(slot, &event) && event.type == EVENT_ALLOC && !slot->thin);
    slot->thin = 1;
    tracer_self.rate = 4096;
    CHECK(!thin_leaves_out(slot, 0) && !slot->thin);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_is_read_and_lost_and_left_out_is_all, rings_begin),
        cmocka_unit_test_setup(
            allocations_are_thinned_only_when_a_ring_is_nearly_full_and_must_not_be_waited_for,
            rings_begin),
        cmocka_unit_test_setup(
            what_is_thinned_is_counted_and_all_is_recorded_again_in_an_empty_ring, rings_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
