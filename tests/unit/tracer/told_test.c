/* SPDX-License-Identifier: Apache-2.0 */
/* told_test.c - what the calls of memoir.h leave in the ring. */
#include "tracer/rings/told.h"

#include <stdio.h>
#include <string.h>

#include "check.h"
#include "program_side.h"
#include "memoir.h"
#include "random.h"
#include "rings.h"
#include "wire/told.h"

static struct arena_slot *slot;

static struct arena_header *header(void)
{
    return program_side(rings.arena);
}

static int begin(void **state)
{
    rings_begin(state);
    arena_process_at(program_side(rings.arena), 0)->start_tsc = 1234567;
    told_forget();
    slot = rings_own_slot();
    return 0;
}

static const struct memoir_calls *calls(void)
{
    return &memoir_calls_v1;
}

static void *at(uint64_t address)
{
    return (void *)address;
}

/* The next record, which is of that kind and about that address. */
static struct ring_event expect(enum told_kind kind, uint64_t address)
{
    struct ring_event event = {.type = EVENT_NONE};
    CHECK(rings_next_but_times(slot, &event) && event.type == EVENT_TOLD);
    CHECK(told_kind_of(event.words[0]) == kind && event_address(event.words[0]) == address);
    CHECK(event.count >= told_fixed_words(kind) && event.count <= TOLD_WORDS_MAX);
    return event;
}

static void expect_nothing(void)
{
    struct ring_event event;
    CHECK(!rings_next_but_times(slot, &event));
    CHECK(tracer_self.busy != THREAD_BUSY && atomic_load(&tracer_self.seat->inside) == 0);
}

static const char *text_of(const struct ring_event *event)
{
    static char text[TOLD_TEXT_MAX + 1];
    unsigned const fixed = told_fixed_words(told_kind_of(event->words[0]));
    memset(text, 0, sizeof(text));
    memcpy(text, event->words + fixed, 8 * (size_t)(event->count - fixed));
    return text;
}

/* ---- marks ---- */

static void expect_mark(uint64_t kind, const char *text)
{
    struct ring_event event;
    uint64_t time = 0;
    while (rings_next(slot, &event) && event.type != EVENT_TOLD) {
        if (event.type == EVENT_TIME)
            time = event.words[0] >> 4;
    }
    CHECK(event.type == EVENT_TOLD && told_kind_of(event.words[0]) == TOLD_MARK);
    CHECK(event_address(event.words[0]) == kind);
    CHECK(event.words[1] == time && atomic_load(&header()->clock) == time);
    assert_string_equal(text_of(&event), text);
    CHECK(event.count == 2 + (strlen(text) + 7) / 8); /* no word more than the text has */
    CHECK(atomic_load(&header()->sleeping) == 0);
    atomic_store(&header()->sleeping, 1);
    expect_nothing();
}

TEST(a_mark_has_a_text_a_number_and_a_time)
{
    char longest[300], expected[300];
    atomic_store(&header()->sleeping, 1);
    calls()->marked(MEMOIR_MARK, "here", MEMOIR_NO_NUMBER);
    expect_mark(MEMOIR_MARK, "here");
    calls()->marked(MEMOIR_PHASE_BEGIN, "12345678", 0);
    expect_mark(MEMOIR_PHASE_BEGIN, "12345678 0");
    calls()->marked(MEMOIR_PHASE_END, "1234567", MEMOIR_NO_NUMBER);
    expect_mark(MEMOIR_PHASE_END, "1234567");
    calls()->marked(MEMOIR_MARK, NULL, MEMOIR_NO_NUMBER);
    expect_mark(MEMOIR_MARK, "");
    calls()->marked(MEMOIR_MARK, NULL, -4096);
    expect_mark(MEMOIR_MARK, "-4096");
    static const long numbers[] = {
        9, 10, -1, 1000000007, 0x7fffffffffffffffl, -0x7fffffffffffffffl - 1};
    for (unsigned i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
        calls()->marked(MEMOIR_MARK, "block", numbers[i]);
        snprintf(expected, sizeof(expected), "block %ld", numbers[i]);
        expect_mark(MEMOIR_MARK, expected);
    }
    memset(longest, 'x', sizeof(longest) - 1);
    longest[sizeof(longest) - 1] = '\0';
    calls()->marked(MEMOIR_MARK, longest, MEMOIR_NO_NUMBER);
    snprintf(expected, sizeof(expected), "%.128s", longest);
    expect_mark(MEMOIR_MARK, expected);
    calls()->marked(MEMOIR_MARK, longest, -12345); /* the number is whole */
    snprintf(expected, sizeof(expected), "%.121s -12345", longest);
    expect_mark(MEMOIR_MARK, expected);
    longest[TOLD_TEXT_MAX] = '\0'; /* just as long as may be */
    calls()->marked(MEMOIR_MARK, longest, MEMOIR_NO_NUMBER);
    expect_mark(MEMOIR_MARK, longest);
    calls()->marked(0, "no kind", 1);
    calls()->marked(MEMOIR_PHASE_END + 1, "no kind", 1);
    expect_nothing();
}

TEST(a_long_text_is_cut_where_a_character_begins)
{
    char text[200];
    atomic_store(&header()->sleeping, 1);
    for (unsigned before = 120; before <= 130; before++) {
        memset(text, 'a', before);
        strcpy(text + before, "\xf0\x9f\x98\x80 and more, a lot of words");
        calls()->marked(MEMOIR_MARK, text, MEMOIR_NO_NUMBER);
        text[before > 124 && before < 128 ? before : 128] = '\0';
        expect_mark(MEMOIR_MARK, text);
    }
    memset(text, 'a', 119);
    strcpy(text + 119, "\xf0\x9f\x98\x80 and more, a lot of words");
    calls()->marked(MEMOIR_MARK, text, 12345); /* nor is it broken where the number begins */
    strcpy(text + 119, " 12345");
    expect_mark(MEMOIR_MARK, text);
    memset(text, '\x80', sizeof(text) - 1); /* no character begins at all */
    text[sizeof(text) - 1] = '\0';
    calls()->marked(MEMOIR_MARK, text, MEMOIR_NO_NUMBER);
    expect_mark(MEMOIR_MARK, "");
}

/* ---- regions ---- */

TEST(a_region_has_a_name_and_a_place)
{
    rings.node = 4711;
    calls()->region_named(at(0x7f0000001000), 8192, "the cache of blocks");
    struct ring_event event = expect(TOLD_REGION, 0x7f0000001000);
    CHECK(event.words[1] == 4711 && event.words[2] == 8192 && event.count == 6);
    assert_string_equal(text_of(&event), "the cache of blocks");
    calls()->region_named(at(0x7f0000002000), 100, NULL);
    event = expect(TOLD_UNNAME, 0x7f0000002000);
    CHECK(event.words[1] == 100 && event.count == 2);
    calls()->region_named(at(0x7f0000002000), 0, "nothing");
    expect_nothing();
}

/* ---- blocks and pools, against a plain list of them ---- */

#define POOLS  4u
#define BLOCKS 200u

struct model {
    struct random random;
    struct memoir_pool pools[POOLS];
    uint64_t fills[POOLS]; /* as the reader knows them; 0: none */
    uint16_t numbers[EVENT_GROUPS];
    uint64_t calls, bytes;
};
static struct model model;

static uint64_t next_number(uint64_t address)
{
    return ++model.numbers[event_group(address)] & EVENT_SEQUENCE_MASK;
}

/* A pool's first block tells of the pool, by its name. */
static void expect_made(unsigned pool, uint64_t address, uint64_t size)
{
    if (pool < POOLS && !model.fills[pool]) {
        struct ring_event event = expect(TOLD_POOL, 0);
        model.fills[pool] = event.words[1] >> 32;
        CHECK(model.fills[pool] != 0 && (uint32_t)event.words[1] == 0);
        assert_string_equal(text_of(&event), model.pools[pool].name);
        for (unsigned i = 0; i < POOLS; i++)
            CHECK(i == pool || model.fills[i] != model.fills[pool]);
    }
    struct ring_event event = expect(TOLD_ALLOC, address);
    CHECK(event.count == 4 && event.words[1] >> 32 == rings.node);
    CHECK((uint32_t)event.words[1] == next_number(address) && event.words[2] == size);
    CHECK(event.words[3] == (pool < POOLS ? model.fills[pool] : 0));
    model.calls++;
    model.bytes += size;
}

static void expect_gone(unsigned pool, uint64_t address)
{
    struct ring_event event = expect(TOLD_FREE, address);
    CHECK(event.words[1] >> 32 == (pool < POOLS ? model.fills[pool] : 0));
    CHECK((uint32_t)event.words[1] == next_number(address));
}

static void empty_pool(unsigned pool, int for_ever)
{
    uint64_t const before = model.fills[pool];
    calls()->pool_emptied(&model.pools[pool], for_ever);
    if (!before)
        return; /* it has had no block */
    struct ring_event event = expect(TOLD_POOL, 0);
    CHECK(event.count == 2 && (uint32_t)event.words[1] == before);
    model.fills[pool] = event.words[1] >> 32;
    CHECK(for_ever ? model.fills[pool] == 0 : model.fills[pool] > before);
}

static void do_something(void)
{
    unsigned const pool = (unsigned)random_below(&model.random, POOLS + 1);
    struct memoir_pool *told = pool < POOLS ? &model.pools[pool] : NULL;
    uint64_t const first = 0x1000 + 16 * random_below(&model.random, BLOCKS);
    uint64_t const second = 0x1000 + 16 * random_below(&model.random, BLOCKS);
    uint64_t const size = random_below(&model.random, 1ull << 40);
    rings.node = (uint32_t)random_below(&model.random, ARENA_NODES);
    switch (random_below(&model.random, 12)) {
    case 0:
        if (pool < POOLS)
            empty_pool(pool, (int)random_below(&model.random, 2));
        break;
    case 1:
    case 2:
        calls()->block_moved(told, at(first), at(second), size);
        expect_gone(pool, first);
        expect_made(pool, second, size);
        break;
    case 3:
        calls()->block_moved(told, NULL, at(second), size);
        expect_made(pool, second, size);
        break;
    case 4:
        calls()->block_moved(told, at(first), NULL, size);
        expect_gone(pool, first);
        break;
    case 5:
    case 6:
        calls()->block_gone(told, at(first));
        expect_gone(pool, first);
        break;
    default:
        calls()->block_made(told, at(first), size);
        expect_made(pool, first, size);
    }
    expect_nothing();
}

static void begin_model(unsigned seed)
{
    static const char *const names[POOLS] = {"first", "second of them", "", "the fourth"};
    memset(&model, 0, sizeof(model));
    model.random = random_from(seed);
    for (unsigned i = 0; i < POOLS; i++)
        model.pools[i].name = names[i];
}

TEST(blocks_of_pools_are_told_as_they_come_and_go)
{
    begin_model(7);
    for (unsigned i = 0; i < 40000; i++)
        do_something();
    CHECK(slot->pool_calls == model.calls && slot->pool_bytes == model.bytes);
    CHECK(slot->calls == 0 && slot->frees == 0); /* they are not the heap's */
}

TEST(a_pool_of_an_earlier_recording_is_told_again)
{
    begin_model(8);
    for (unsigned i = 0; i < 1000; i++)
        do_something();
    arena_process_at(program_side(rings.arena), 0)->start_tsc += 2;
    memset(model.fills, 0, sizeof(model.fills));
    calls()->block_gone(&model.pools[0], at(0x1000));
    expect_gone(0, 0x1000);
    empty_pool(0, 0);
    for (unsigned i = 0; i < 1000; i++)
        do_something();
    told_forget(); /* and its blocks are numbered anew */
    memset(model.numbers, 0, sizeof(model.numbers));
    for (unsigned i = 0; i < 1000; i++)
        do_something();
}

TEST(nothing_is_told_of_nothing)
{
    begin_model(9);
    calls()->block_made(&model.pools[0], NULL, 5);
    calls()->block_gone(&model.pools[0], NULL);
    calls()->pool_emptied(NULL, 0);
    calls()->block_moved(&model.pools[0], NULL, NULL, 5);
    expect_nothing();
    CHECK(calls()->version == 1 && slot->pool_calls == 0);
}

TEST(nobody_is_told_while_nobody_listens)
{
    struct ring_event event;
    begin_model(10);
    rings_empty(slot);
    rings.alive = 0;
    calls()->block_made(&model.pools[0], at(0x1000), 5);
    calls()->region_named(at(0x1000), 5, "name");
    CHECK(!rings_next(slot, &event) && slot->pool_calls == 0);
    rings_begin(NULL);
    header()->slot_limit = 1; /* no slot is to be had */
    atomic_store(&arena_tag_at(program_side(rings.arena), 0)->owner, 1);
    calls()->marked(MEMOIR_MARK, "here", 1);
    CHECK(atomic_load(&tracer_self.seat->inside) == 0 && tracer_self.busy != THREAD_BUSY);
    CHECK(header()->slot_high == 0);
}

TEST(a_full_ring_leaves_the_sums_right)
{
    struct ring_event event;
    begin_model(11);
    atomic_store(&header()->longest_wait_ns, 1);
    rings_fill(slot);
    uint64_t const head = slot->next;
    calls()->block_made(&model.pools[0], at(0x1000), 5);
    calls()->block_gone(&model.pools[0], at(0x1000));
    calls()->region_named(at(0x1000), 5, "name");
    calls()->marked(MEMOIR_MARK, "name", 5);
    CHECK(slot->next == head && slot->pool_calls == 1 && slot->pool_bytes == 5);
    CHECK(slot->lost == 5 && atomic_load(&tracer_self.seat->inside) == 0); /* the pool, too */
    rings_empty(slot);
    calls()->block_gone(NULL, at(0x1000));
    CHECK(rings_next_but_times(slot, &event) && event.type == EVENT_GAP && event.words[1] == 5);
    CHECK(event.words[2] == 0 && event.words[3] == 0 && event.words[4] == 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(a_mark_has_a_text_a_number_and_a_time, begin),
        cmocka_unit_test_setup(a_long_text_is_cut_where_a_character_begins, begin),
        cmocka_unit_test_setup(a_region_has_a_name_and_a_place, begin),
        cmocka_unit_test_setup(blocks_of_pools_are_told_as_they_come_and_go, begin),
        cmocka_unit_test_setup(a_pool_of_an_earlier_recording_is_told_again, begin),
        cmocka_unit_test_setup(nothing_is_told_of_nothing, begin),
        cmocka_unit_test_setup(nobody_is_told_while_nobody_listens, begin),
        cmocka_unit_test_setup(a_full_ring_leaves_the_sums_right, begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
