/* SPDX-License-Identifier: Apache-2.0 */
/* record_test.c - what becomes of each call of an allocator, against a list of what was done. */
#include "tracer/process/arena_raise.h"
#include "tracer/rings/record.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "program_side.h"
#include "random.h"
#include "rings.h"
#include "tracer/rings/sample.h"

#define HERE __builtin_frame_address(0)

static struct arena_header *header(void)
{
    return program_side(rings.arena);
}

/* ---- a model of one thread ---- */

#define BLOCKS   600u
#define EXPECTED 4096u

/* Addresses that share their group with some, and whose pages are far apart. */
static uint64_t address_of(unsigned block)
{
    return 0x7f1200000000ull + (uint64_t)(block % 300) * 16 +
           (uint64_t)(block / 300) * (2ull << 40);
}

struct expected {
    enum event_type type;
    uint64_t address, size, usable, node;
    unsigned number;
    bool temporary, done;
};

struct model {
    struct random random;
    uint16_t numbers[EVENT_GROUPS];
    uint64_t size[BLOCKS]; /* plus one; 0: not there */
    uint64_t last, calls, bytes, frees;
    struct expected expected[EXPECTED];
    unsigned first, count; /* of those that were not read yet */
    unsigned pairs, seen[EVENT_TYPES];
};
static struct model model;
static struct arena_slot *slot;

static struct expected *expect(enum event_type type, uint64_t address)
{
    CHECK(model.count < EXPECTED);
    struct expected *expected = &model.expected[model.count++];
    *expected = (struct expected){.type = type, .address = address};
    if (type == EVENT_ALLOC || type == EVENT_FREE || type == EVENT_MOVE)
        expected->number = ++model.numbers[event_group(address)] & EVENT_SEQUENCE_MASK;
    return expected;
}

/* Of a block of `size`: as allocators round, as those that do not tell, and as few do. */
static uint64_t draw_usable(uint64_t size)
{
    switch (random_below(&model.random, 5)) {
    case 0:
        return 0;
    case 1:
        return size + random_below(&model.random, 700);
    case 2:
        return (size + 7) / 8 * 8 + 8 * (61 + random_below(&model.random, 6));
    default:
        return (size + 15) / 16 * 16 + 8;
    }
}

static uint64_t draw_size(void)
{
    static const uint64_t limits[] = {30, 1000, 100000, 1ull << 37, 1ull << 36};
    return random_below(&model.random, limits[random_below(&model.random, 4)]) +
           (random_below(&model.random, 200) == 0 ? limits[4] - 1 : 0);
}

static void expect_alloc(unsigned block, uint64_t size, uint64_t usable)
{
    struct expected *expected = expect(EVENT_ALLOC, address_of(block));
    uint64_t const spare = usable / 8 - (size + 7) / 8;
    bool const is_short = spare < EVENT_SPARE_LIMIT && size < EVENT_SIZE_LIMIT && usable % 8 == 0;
    expected->node = rings.node;
    expected->size = size;
    expected->usable = usable > size ? usable : size;
    if (is_short)
        expected->usable = ((size + 7) / 8 + spare) * 8;
    else
        expected->type = EVENT_ALLOC_BIG;
    model.size[block] = size + 1;
    model.last = address_of(block);
    model.calls++;
    model.bytes += size;
}

static void expect_end(enum event_type type, unsigned block)
{
    struct expected *expected = expect(type, address_of(block));
    expected->temporary = model.last == address_of(block);
    if (expected->temporary)
        model.last = 0;
}

static void allocate(unsigned block)
{
    uint64_t const size = draw_size(), usable = draw_usable(size);
    rings.node = (uint32_t)random_below(&model.random, ARENA_NODES);
    record_block((void *)address_of(block), size, usable, HERE);
    CHECK(rings.stack_frame == HERE);
    expect_alloc(block, size, usable);
}

static void release(unsigned block)
{
    uint64_t const size = model.size[block] - 1;
    record_free((void *)address_of(block), random_below(&model.random, 3) ? size : SIZE_UNKNOWN);
    expect_end(EVENT_FREE, block);
    model.size[block] = 0;
    model.frees++;
}

static unsigned draw_free_block(void)
{
    unsigned block;
    do {
        block = (unsigned)random_below(&model.random, BLOCKS);
    } while (model.size[block]);
    return block;
}

static void reallocate(unsigned block)
{
    uint64_t const old_size = model.size[block] - 1, size = draw_size();
    uint64_t const usable = draw_usable(size), before = model.last;
    unsigned const kind = (unsigned)random_below(&model.random, 4);
    unsigned const moved = kind == 3 ? draw_free_block() : block;
    struct resizing resizing = {.block = (void *)address_of(block)};
    rings.node = (uint32_t)random_below(&model.random, ARENA_NODES);
    record_resize(&resizing, old_size);
    CHECK(resizing.followed && resizing.began);
    expect_end(EVENT_MOVE, block);
    if (kind == 0 || (kind == 1 && size == 0)) { /* freed */
        record_resized(&resizing, NULL, 0, 0, HERE);
        expect(EVENT_OUTCOME, 0)->done = true;
        model.size[block] = 0;
        model.frees++;
    } else if (kind == 1) { /* refused */
        record_resized(&resizing, NULL, size, 0, HERE);
        expect(EVENT_OUTCOME, 0);
        model.last = before;
    } else {
        record_resized(&resizing, (void *)address_of(moved), size, usable, HERE);
        model.size[block] = 0;
        expect_alloc(moved, size, usable);
        model.frees++;
    }
}

static void map_and_unmap(void)
{
    uint64_t const address = random_below(&model.random, 1ull << 35) << 12;
    uint64_t const length = random_next(&model.random);
    bool const done = random_below(&model.random, 2);
    if (random_below(&model.random, 2)) {
        rings.node = (uint32_t)random_below(&model.random, ARENA_NODES);
        record_map((void *)address, length, HERE);
        struct expected *expected = expect(EVENT_MAP, address);
        expected->size = length;
        expected->node = rings.node;
    } else {
        bool const began = record_unmap((void *)address, length);
        CHECK(began);
        record_unmapped(began, done);
        expect(EVENT_UNMAP, address)->size = length;
        expect(EVENT_OUTCOME, 0)->done = done;
    }
}

/* ---- what is read, against what is expected ---- */

static void check_alloc(const struct expected *expected, const struct ring_event *event)
{
    uint64_t const second = event->words[1], size = second & (EVENT_SIZE_LIMIT - 1);
    CHECK(event_address(event->words[0]) == expected->address);
    CHECK(event_sequence(event->words[0]) == expected->number);
    if (expected->type == EVENT_ALLOC_BIG) {
        CHECK(event->words[1] == expected->node && event->words[2] == expected->size);
        CHECK(event->words[3] == expected->usable);
        return;
    }
    CHECK(second >> EVENT_NODE_SHIFT == expected->node && size == expected->size);
    CHECK(8 * ((size + 7) / 8 + (second >> EVENT_SIZE_BITS & (EVENT_SPARE_LIMIT - 1))) ==
          expected->usable);
}

static void check_event(const struct ring_event *event)
{
    const struct expected *expected = &model.expected[model.first++];
    CHECK(model.first <= model.count);
    model.seen[event->type]++;
    if (event->type == EVENT_PAIR) { /* two in one */
        const struct expected *end = &model.expected[model.first++];
        CHECK(expected->type == EVENT_ALLOC && end->type == EVENT_FREE && end->temporary);
        CHECK(expected->address == end->address && model.first <= model.count);
        check_alloc(expected, event);
        return;
    }
    CHECK(event->type == expected->type);
    if (event->type == EVENT_ALLOC || event->type == EVENT_ALLOC_BIG) {
        check_alloc(expected, event);
    } else if (event->type == EVENT_FREE || event->type == EVENT_MOVE) {
        CHECK(event->words[0] ==
              (expected->address << 16 | (uint64_t)expected->number << EVENT_SEQUENCE_SHIFT |
               (expected->temporary ? EVENT_TEMPORARY : 0) | event->type));
    } else if (event->type == EVENT_OUTCOME) {
        CHECK(event->words[0] == ((uint64_t)expected->done << 4 | EVENT_OUTCOME));
    } else {
        CHECK(event->words[0] == (expected->address << 16 | event->type));
        CHECK(event->words[event->count - 1] == expected->size);
        CHECK(event->type != EVENT_MAP || event->words[1] == expected->node);
    }
}

/* A reader says that it has the last record, which then never changes. */
static void take_last(void)
{
    uint64_t *word = &arena_slot_ring(slot)[slot->last_alloc % RING_WORDS];
    if (slot->last_alloc + 2 == slot->next && event_type_of(*word) == EVENT_ALLOC)
        *word |= EVENT_TAKEN;
}

static void read_all(void)
{
    struct ring_event event;
    while (rings_next_but_times(slot, &event)) {
        if (event.type == EVENT_ALLOC)
            CHECK(!(event.words[0] & EVENT_TAKEN));
        check_event(&event);
    }
    CHECK(model.first == model.count);
    model.first = model.count = 0;
    take_last();
}

TEST(what_was_done_is_what_is_read)
{
    memset(&model, 0, sizeof(model));
    model.random = random_from(3);
    slot = rings_own_slot();
    for (unsigned step = 0; step < 200000; step++) {
        unsigned const block = (unsigned)random_below(&model.random, BLOCKS);
        unsigned const kind = (unsigned)random_below(&model.random, 20);
        if (kind == 0)
            map_and_unmap();
        else if (!model.size[block])
            allocate(block);
        else if (kind < 6)
            reallocate(block);
        else
            release(block);
        if (kind == 9 && model.last) /* what has just been made */
            for (unsigned i = 0; i < BLOCKS; i++)
                if (address_of(i) == model.last && model.size[i]) {
                    release(i);
                    break;
                }
        if (random_below(&model.random, 8) == 0)
            atomic_fetch_add(&header()->clock, 1);
        if (model.count > EXPECTED - 8 || random_below(&model.random, 30) == 0)
            read_all();
    }
    read_all();
    CHECK(slot->calls == model.calls && slot->bytes == model.bytes && slot->frees == model.frees);
    CHECK(slot->lost == 0 && slot->thinned_calls == 0);
    for (unsigned type = EVENT_ALLOC; type <= EVENT_UNMAP; type++)
        CHECK(model.seen[type] > 100);
    uint64_t const due = slot->calls / COST_EVERY + slot->frees / COST_EVERY;
    CHECK(slot->cost_events <= due && (slot->cost_ticks > 0) == (slot->cost_events > 0));
    CHECK(slot->cost_ticks <= slot->cost_events * COST_TICKS_MAX);
}

/* ---- two in one ---- */

static enum event_type pair_of(uint64_t size, bool between)
{
    struct ring_event event;
    enum event_type type;
    rings_empty(slot);
    record_block((void *)0x1000, size, size, HERE);
    if (between)
        record_map((void *)0x2000, 4096, HERE);
    record_free((void *)0x1000, size);
    CHECK(rings_next_but_times(slot, &event));
    type = event.type;
    while (rings_next(slot, &event))
        continue;
    return type;
}

TEST(a_block_that_dies_at_once_is_one_record_where_that_hides_nothing)
{
    slot = rings_own_slot();
    pair_of(8, false);
    CHECK(pair_of(8, false) == EVENT_PAIR && pair_of(1 << 20, false) == EVENT_PAIR);
    CHECK(pair_of(8, true) == EVENT_ALLOC);
    CHECK(pair_of(3, false) == EVENT_ALLOC_BIG); /* it has no short form */
    atomic_store(&header()->clock, 0);           /* times are taken one by one */
    CHECK(pair_of(8, false) == EVENT_ALLOC);
    atomic_store(&header()->clock, 2);
    pair_of(8, false);
    CHECK(pair_of(8, false) == EVENT_PAIR);
    arena_raise(&header()->slot_high, 1); /* among several the order of what is large matters */
    CHECK(pair_of(ORDER_PAIR_BYTES, false) == EVENT_PAIR);
    CHECK(pair_of(ORDER_PAIR_BYTES + 8, false) == EVENT_ALLOC);
    record_block((void *)0x1000, 8, 8, HERE);
    atomic_store(&header()->clock, 3); /* time has passed since */
    record_free((void *)0x1000, 8);
    CHECK(event_type_of(arena_slot_ring(slot)[slot->last_alloc % RING_WORDS]) == EVENT_ALLOC);
    record_block((void *)0x1000, 8, 8, HERE);
    take_last();
    record_free((void *)0x1000, 8);
    CHECK(event_type_of(arena_slot_ring(slot)[slot->last_alloc % RING_WORDS]) == EVENT_ALLOC);
}

/* ---- samples ---- */

/* The types of what was written since, but for times and rates: one character each. */
static const char *written(void)
{
    static const char names[EVENT_TYPES] = "-ABPFMOmutgTtRf";
    static char text[32];
    struct ring_event event;
    unsigned count = 0;
    while (rings_next_but_times(slot, &event)) {
        if (event.type == EVENT_OUTCOME)
            text[count++] = event.words[0] >> 4 ? '1' : '0';
        else if (event.type != EVENT_RATE)
            text[count++] = names[event.type];
    }
    text[count] = '\0';
    take_last();
    return text;
}

static void *const block_a = (void *)0x111000, *const block_b = (void *)0x222000;

static void resize(void *from, void *to, size_t size)
{
    struct resizing resizing = {.block = from};
    record_resize(&resizing, 64);
    record_resized(&resizing, to, size, size, HERE);
}

TEST(a_resized_block_is_followed_as_long_as_it_is_taken)
{
    uint64_t const all = 1, none = RATE_OFF, large = 1 << 20; /* bytes: always taken */
    slot = rings_own_slot();
    atomic_store(&header()->rate, all);
    CHECK(sample_wants(large, block_a));
    record_block(block_a, large, large, HERE);
    assert_string_equal(written(), "A");
    CHECK(slot->rate == all && slot->last_block == 0); /* whether it is temporary is unknown */
    resize(block_a, block_b, large);
    assert_string_equal(written(), "MA");
    resize(block_b, NULL, large); /* refused: it is still there */
    assert_string_equal(written(), "M0");
    resize(block_b, block_b, large);
    assert_string_equal(written(), "MA");
    atomic_store(&header()->rate, none);
    resize(block_b, block_a, large); /* no longer taken */
    assert_string_equal(written(), "M1");
    resize(block_a, block_b, large);
    resize(block_b, NULL, large);
    resize(block_b, NULL, 0);
    assert_string_equal(written(), "");
    atomic_store(&header()->rate, all);
    resize(block_b, block_a, large); /* it was nobody's, and is taken now */
    assert_string_equal(written(), "A");
    resize(block_a, NULL, 0);
    assert_string_equal(written(), "M1");
    CHECK(!sample_wants_free(block_a) && !sample_wants_free(block_b));
}

TEST(a_change_of_rate_goes_before_the_next_allocation)
{
    struct ring_event event;
    slot = rings_own_slot();
    record_block(block_a, 8, 8, HERE);
    take_last();
    rings_empty(slot);
    tracer_self.rate = 4711;
    record_free(block_a, 8);
    CHECK(rings_next_but_times(slot, &event) && event.type != EVENT_RATE);
    record_block(block_a, 8, 8, HERE);
    CHECK(rings_next_but_times(slot, &event) && event.words[0] == (4711u << 4 | EVENT_RATE));
    CHECK(rings_next_but_times(slot, &event) && event.type == EVENT_ALLOC);
    record_block(block_b, 8, 8, HERE);
    CHECK(rings_next_but_times(slot, &event) && event.type == EVENT_ALLOC);
    record_free(block_b, 8); /* what came between is unknown */
    CHECK(rings_next_but_times(slot, &event) && !(event.words[0] & EVENT_TEMPORARY));
}

/* ---- threads without a slot, and sizes ---- */

TEST(a_thread_without_a_slot_is_in_the_sums)
{
    struct arena_process *process = arena_process_at(program_side(rings.arena), 0);
    header()->slot_limit = 1;
    atomic_store(&arena_tag_at(program_side(rings.arena), 0)->owner, 1);
    CHECK(arena_enter());
    record_block(block_a, 100, 0, HERE);
    record_block(block_b, 11, 0, HERE);
    record_free(block_a, 100);
    bool began = record_move(block_b, 11);
    CHECK(!began);
    record_moved_block(began, block_b, 1000, 0, HERE);
    record_moved_block(false, NULL, 0, 0, HERE); /* freed */
    record_moved_block(false, NULL, 5, 0, HERE); /* refused */
    record_map(block_a, 4096, HERE);
    CHECK(!record_unmap(block_a, 4096));
    record_unmapped(false, true);
    arena_leave();
    CHECK(!tracer_self.slot);
    CHECK(process->calls == 3 && process->bytes == 1111 && process->frees == 3);
    CHECK(process->lost == 6);
}

static size_t usable_of(void *block)
{
    return block == block_a ? 48 : 80;
}

TEST(the_allocator_is_asked_how_much_is_usable)
{
    struct ring_event event;
    slot = rings_own_slot();
    record_alloc(block_a, 40, HERE);
    CHECK(rings_next_but_times(slot, &event) && event.type == EVENT_ALLOC_BIG);
    CHECK(event.words[3] == 40 && size_at_end(block_a) == SIZE_UNKNOWN);
    real.malloc_usable_size = usable_of;
    record_alloc(block_a, 40, HERE);
    CHECK(rings_next_but_times(slot, &event) && event.type == EVENT_ALLOC);
    CHECK(event.words[1] << 22 >> 22 == (1ull << EVENT_SIZE_BITS | 40) &&
          size_at_end(block_a) == 48);
    record_moved(record_move(block_a, 48), block_b, 80, HERE);
    CHECK(rings_next_but_times(slot, &event) && event.type == EVENT_MOVE);
    CHECK(rings_next_but_times(slot, &event) && event.words[1] << 22 >> 22 == 80);
    record_moved(record_move(block_b, 80), NULL, 80, HERE);
    assert_string_equal(written(), "M0");
}

TEST(numbers_are_forgotten_between_recordings)
{
    struct ring_event event;
    slot = rings_own_slot();
    record_block(block_a, 8, 8, HERE);
    record_block(block_a, 8, 8, HERE);
    rings_empty(slot);
    record_forget();
    record_block(block_a, 8, 8, HERE);
    CHECK(rings_next_but_times(slot, &event) && event_sequence(event.words[0]) == 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(what_was_done_is_what_is_read, rings_begin),
        cmocka_unit_test_setup(a_block_that_dies_at_once_is_one_record_where_that_hides_nothing,
                               rings_begin),
        cmocka_unit_test_setup(a_resized_block_is_followed_as_long_as_it_is_taken, rings_begin),
        cmocka_unit_test_setup(a_change_of_rate_goes_before_the_next_allocation, rings_begin),
        cmocka_unit_test_setup(a_thread_without_a_slot_is_in_the_sums, rings_begin),
        cmocka_unit_test_setup(the_allocator_is_asked_how_much_is_usable, rings_begin),
        cmocka_unit_test_setup(numbers_are_forgotten_between_recordings, rings_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
