/* SPDX-License-Identifier: Apache-2.0 */
/* told_test.c - records of what a program told through memoir.h, written by hand. */
#include "wire/told.h"

#include <errno.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "capture/rings/ring_reader.h"
#include "capture/rings/ring_told.h"
#include "check.h"
#include "machine/processor.h"
#include "program_side.h"
#include "reading.h"

static struct reading *reading;
static struct ring_writer *writer;
static uint32_t here;
static uint32_t numbers[EVENT_GROUPS];
#define HERE_IP 0x1111u

static int set_up(void **state)
{
    (void)state;
    reading = reading_begin();
    if (!reading)
        return -1;
    memset(numbers, 0, sizeof(numbers));
    writer = &reading->writer;
    here = writer_node(writer, TRIE_COMPLETE, HERE_IP);
    writer_thread(writer, 0, 77, 0);
    writer_thread(writer, 1, 78, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    reading_end(reading);
    return 0;
}

static uint64_t next_number(uint64_t address)
{
    return ++numbers[event_group(address)] & EVENT_SEQUENCE_MASK;
}

static void tell_alloc(uint32_t slot, uint64_t address, uint64_t size, uint32_t fill)
{
    uint64_t words[4] = {told_head(address, TOLD_ALLOC, 4),
                         (uint64_t)here << 32 | next_number(address), size, fill};
    writer_words(writer, slot, words, 4);
}

static void tell_free(uint32_t slot, uint64_t address, uint32_t fill)
{
    uint64_t words[2] = {told_head(address, TOLD_FREE, 2),
                         (uint64_t)fill << 32 | next_number(address)};
    writer_words(writer, slot, words, 2);
}

/* A record with a text behind its fixed words. */
static void tell_text(uint32_t slot, const uint64_t *fixed, unsigned count, const char *text)
{
    uint64_t words[TOLD_WORDS_MAX] = {0};
    unsigned all = count + (unsigned)(strlen(text) + 7) / 8;
    memcpy(words, fixed, count * sizeof(*fixed));
    memcpy(words + count, text, strlen(text));
    words[0] |= (uint64_t)all << 8;
    writer_words(writer, slot, words, all);
}

static void tell_pool(uint32_t slot, uint32_t fill, uint32_t before, const char *name)
{
    uint64_t words[2] = {told_head(0, TOLD_POOL, 0), (uint64_t)fill << 32 | before};
    tell_text(slot, words, 2, name);
}

static void read_all(void)
{
    writer_publish(writer, 0);
    writer_publish(writer, 1);
    reading_round(reading, 1000);
}

/* The names on the stack of the first cell of a column at the end, outermost first, in one text. */
static const char *stack_names(const struct recording *recording, enum column column)
{
    static char names[256];
    const struct pin *pin = recording_pin(recording, PIN_DEATH);
    names[0] = '\0';
    for (size_t i = 0; i < pin->cell_count; i++) {
        if (pin->cells[i].column != column)
            continue;
        for (stack_id at = pin->cells[i].key; at != STACK_EMPTY;
             at = stack_table_innermost(recording->stacks, at).caller) {
            const struct frame *frame =
                &recording->frames.items[stack_table_innermost(recording->stacks, at).frame];
            const char *name =
                frame->location_count
                    ? recording_text(recording,
                                     recording->locations.items[frame->first_location].function)
                    : "?";
            strncat(names, name, sizeof(names) - strlen(names) - 1);
            strncat(names, ";", sizeof(names) - strlen(names) - 1);
        }
        break;
    }
    return names;
}

TEST(pools_stand_under_their_names_and_apart_from_the_heap)
{
    tell_pool(0, 1, 0, "cache");
    writer_alloc(writer, 0, (struct written_block){0x10000, 4096, 0, here});
    tell_alloc(0, 0x10000, 100, 1); /* the first block is where its memory begins */
    tell_alloc(0, 0x10064, 200, 1);
    tell_free(0, 0x10000, 1);
    read_all();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->heap.calls == 1 && recording->heap.bytes == 4096);
    CHECK(recording->heap.frees == 0 && reading_live(recording, HERE_IP) == 4096);
    CHECK(recording->pools.calls == 2 && recording->pools.bytes == 300);
    CHECK(recording->pools.freed_bytes == 100 && recording->pools.peak_bytes == 300);
    assert_string_equal(stack_names(recording, COL_POOL_BYTES), "?;pool: cache;");
    const struct pin *peak = recording_pin(recording, PIN_POOL_PEAK);
    CHECK(peak && peak->cell_count == 2 && peak->thread_cell_count == 2);
    CHECK(recording->quality.implied_frees == 0 && recording->quality.lost_events == 0);
}

TEST(a_block_waits_for_the_record_of_its_filling)
{
    tell_alloc(0, 0x1000, 100, 1);
    writer_publish(writer, 0);
    reading_round(reading, 1000);
    CHECK(session_recording(reading->sessions[0])->pools.calls == 0);
    tell_pool(1, 1, 0, "late");
    read_all();
    tell_pool(1, 0, 1, "");
    read_all();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->pools.calls == 1 && recording->pools.freed_bytes == 100);
    CHECK(recording->quality.lost_events == 0);
}

TEST(a_record_of_a_filling_that_never_comes_is_not_waited_for_for_ever)
{
    for (unsigned i = 0; i < 100; i++)
        tell_alloc(0, 0x1000 + 64 * i, 10, 1);
    read_all();
    for (unsigned i = 0; i < 8; i++)
        reading_round(reading, 600000000);
    CHECK(ring_reader_words(reading->reader) ==
          writer_written(writer, 0) + writer_written(writer, 1));
    CHECK(reading_finish(reading, 0)->pools.calls == 100);
}

TEST(regions_have_names_and_lose_them)
{
    uint64_t named[3] = {told_head(0x7f0000000000, TOLD_REGION, 0), here, 65536};
    uint64_t renamed[3] = {told_head(0x7f0000008000, TOLD_REGION, 0), here, 16384};
    uint64_t unnamed[2] = {told_head(0x7f0000000000, TOLD_UNNAME, 2), 4096};
    static const uint64_t unmap[2] = {0x7f000000f000ull << 16 | EVENT_UNMAP, 4096};
    tell_text(0, named, 3, "table");
    tell_text(0, renamed, 3, "index");
    writer_words(writer, 0, unnamed, 2);
    writer_words(writer, 0, unmap, 2);
    writer_outcome(writer, 0, OUTCOME_DONE);
    read_all();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->regions.calls == 2 && recording->regions.bytes == 65536 + 16384);
    CHECK(recording->regions.freed_bytes == 16384 + 4096 + 4096);
}

static void tell_mark(uint32_t slot, uint64_t tsc, enum mark_kind kind, const char *text)
{
    uint64_t words[2] = {told_head(kind, TOLD_MARK, 0), tsc};
    writer_time(writer, slot, tsc);
    tell_text(slot, words, 2, text);
}

/* Allocations in the buckets that end at or before the mark of this number. */
static int64_t calls_before(const struct recording *recording, size_t mark)
{
    int64_t calls = 0;
    vec_each (bucket, &recording->buckets)
        for (size_t i = 0; i < bucket->cell_count; i++)
            if (bucket->end_ns <= recording->marks.items[mark].time_ns &&
                bucket->cells[i].column == COL_HEAP_CALLS)
                calls += bucket->cells[i].value;
    return calls;
}

static void block_at(uint32_t slot, uint64_t tsc, uint64_t address)
{
    writer_time(writer, slot, tsc);
    writer_alloc(writer, slot, (struct written_block){address, 16, 0, here});
}

TEST(a_mark_divides_what_all_threads_did)
{
    block_at(0, 2000, 0x1000);
    tell_mark(0, 5000, MARK_INSTANT, "middle");
    writer_alloc(writer, 0, (struct written_block){0x2000, 16, 0, here}); /* without a time */
    block_at(1, 3000, 0x3000);
    block_at(1, 4000, 0x4000);
    block_at(1, 6000, 0x5000);
    writer_alloc(writer, 1, (struct written_block){0x6000, 16, 0, here});
    read_all();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->marks.count == 1 && calls_before(recording, 0) == 3);
    assert_string_equal(recording_text(recording, recording->marks.items[0].label), "middle");
    CHECK(recording->heap.calls == 6);
}

/* Stock of ring 0 is taken before the mark is written, stock of ring 1 after all went on. */
TEST(what_came_after_a_mark_is_not_read_before_it)
{
    block_at(0, 2000, 0x1000);
    block_at(1, 3000, 0x3000);
    read_all();
    uint64_t const late_tsc = processor_ticks() + 400000000;
    reading->slow_until_tsc = late_tsc; /* when the round has begun, and goes on for long */
    writer_thread(writer, 0, 77, 0);
    writer_time(writer, 1, late_tsc);
    writer_alloc(writer, 1, (struct written_block){0x4000, 16, 0, here});
    read_all();
    tell_mark(0, late_tsc - 1000, MARK_INSTANT, "between");
    read_all();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->marks.count == 1 && calls_before(recording, 0) == 2);
    CHECK(recording->heap.calls == 3);
}

/* What waits for a record in another ring is before the mark as well. */
TEST(rings_that_wait_catch_up_before_a_mark)
{
    writer_thread(writer, 2, 79, 0);
    writer_time(writer, 2, 2500);
    writer_alloc(writer, 2, (struct written_block){0x1000, 16, 0, here}); /* first, read last */
    writer_time(writer, 1, 2000);
    writer_free(writer, 1, 0x1000, false); /* waits for it, though its time is earlier */
    writer_alloc(writer, 1, (struct written_block){0x2000, 16, 0, here});
    tell_mark(0, 3000, MARK_INSTANT, "mark");
    writer_publish(writer, 2);
    read_all();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(calls_before(recording, 0) == 2 && recording->heap.frees == 1);
    CHECK(recording->quality.unknown_frees == 0);
}

TEST(marks_at_one_instant_and_late_ones_stay_in_order)
{
    tell_mark(0, 5000, MARK_BEGIN, "phase");
    tell_mark(0, 5000, MARK_INSTANT, "a");
    tell_mark(0, 5000, MARK_END, "phase");
    read_all();
    tell_mark(1, 4000, MARK_INSTANT, "late"); /* its ring was not there in time */
    tell_mark(1, 4500, MARK_END, "phase");    /* of none that is open */
    read_all();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->marks.count == 4 && recording->marks.left_out == 0);
    for (size_t i = 1; i < 4; i++)
        CHECK(recording->marks.items[i - 1].time_ns < recording->marks.items[i].time_ns);
    for (size_t i = 1; i < recording->buckets.count; i++)
        CHECK(recording->buckets.items[i - 1].end_ns == recording->buckets.items[i].begin_ns &&
              recording->buckets.items[i].begin_ns < recording->buckets.items[i].end_ns);
}

TEST(a_flood_of_marks_is_counted_and_bounded)
{
    for (uint64_t i = 0; i < 20000; i++) {
        tell_mark(0, 5000 + i, MARK_INSTANT, "m");
        if (i % 1000 == 0)
            read_all();
    }
    read_all();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->marks.count >= 4096 && recording->marks.count < 4200);
    CHECK(recording->marks.count + recording->marks.left_out == 20000);
}

/* Stamps are the program's: a second between two of them is none of ours. */
TEST(a_flood_of_marks_that_says_it_took_long_is_bounded)
{
    for (uint64_t i = 0; i < 20000; i++) {
        tell_mark(0, 5000 + i * 1000000000, MARK_INSTANT, "m");
        if (i % 1000 == 0)
            read_all();
    }
    read_all();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->marks.count + recording->marks.left_out == 20000);
    CHECK(recording->buckets.count < 5000); /* each would be one */
}

/* What has no place in the recording is not kept, either. */
TEST(names_that_are_not_used_cost_nothing)
{
    char text[16];
    tell_mark(0, 5000, MARK_BEGIN, "phase");
    for (uint32_t i = 1; i <= 20000; i++) {
        snprintf(text, sizeof(text), "n%u", i);
        tell_pool(0, i, i - 1, text);
        tell_mark(0, 5000 + i, MARK_END, text);
        if (i % 1000 == 0)
            read_all();
    }
    read_all();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording && string_table_count(recording->strings) < 4300);
}

/* A time that cannot be does not hold the reader for ever. */
TEST(a_mark_of_a_wild_time_is_read)
{
    uint64_t words[3] = {told_head(MARK_INSTANT, TOLD_MARK, 3), UINT64_MAX, 0x6b};
    uint64_t no_kind[3] = {told_head(9, TOLD_MARK, 3), 1, 0x6b};
    writer_words(writer, 0, words, 3);
    writer_words(writer, 0, no_kind, 3);
    read_all();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->marks.count == 1 && recording->quality.lost_events == 1);
}

/* Whatever a scribbled ring says, what follows is read. */
TEST(records_that_make_no_sense_are_lost_alone)
{
    uint64_t no_kind = told_head(0, 15, 1), short_one = told_head(0x1000, TOLD_ALLOC, 1);
    uint64_t huge[4] = {told_head(0x1000, TOLD_ALLOC, 4), 1, 1ull << 60, 0};
    uint64_t nowhere[2] = {told_head(0, TOLD_FREE, 2), 1};
    uint64_t long_text[TOLD_WORDS_MAX + 8] = {told_head(0, TOLD_POOL, TOLD_WORDS_MAX + 8)};
    writer_words(writer, 0, &no_kind, 1);
    writer_words(writer, 0, &short_one, 1);
    writer_words(writer, 0, huge, 4);
    writer_words(writer, 0, nowhere, 2);
    writer_words(writer, 0, long_text, TOLD_WORDS_MAX + 8);
    tell_alloc(0, 0x2000, 10, 0);
    read_all();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->quality.lost_events == 5);
    CHECK(recording->pools.calls == 1 && recording->pools.bytes == 10);
}

TEST(thousands_of_names_share_one_in_the_end)
{
    char name[32];
    for (uint32_t i = 1; i <= 6000; i++) {
        snprintf(name, sizeof(name), "pool %u", i);
        tell_pool(0, i, 0, name);
        tell_alloc(0, 0x1000 + 64 * i, 10, i);
        if (i % 500 == 0)
            read_all();
    }
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->pools.calls == 6000);
    CHECK(recording->frames.count < 4200);
}

/* A program that changes the length of a record back and forth while it is read. */
struct liar {
    _Atomic(uint64_t *) place; /* NULL: waits */
    atomic_bool is_over;
};
#define LIES      100000u
#define LIE_WORDS 40u

static void *lie(void *context)
{
    struct liar *liar = context;
    while (!atomic_load(&liar->is_over)) {
        uint64_t *place = atomic_load(&liar->place);
        if (!place)
            continue;
        __atomic_store_n(place, told_head(0, TOLD_POOL, LIE_WORDS), __ATOMIC_RELAXED);
        __atomic_store_n(place, told_head(0, TOLD_POOL, 3), __ATOMIC_RELAXED);
    }
    return NULL;
}

TEST(a_length_that_changes_meanwhile_is_read_once)
{
    uint64_t record[LIE_WORDS] = {told_head(0, TOLD_POOL, 3), 1ull << 32, 0x6b};
    struct liar liar = {NULL};
    pthread_t thread;
    for (unsigned i = 3; i < LIE_WORDS; i++)
        record[i] = EVENT_TIME;
    CHECK(pthread_create(&thread, NULL, lie, &liar) == 0);
    for (unsigned i = 0; i < LIES; i++) {
        uint64_t const at = writer_written(writer, 0);
        writer_words(writer, 0, record, LIE_WORDS);
        atomic_store(&liar.place, &arena_slot_ring(arena_slot_at(program_side(writer->arena),
                                                                 0))[at % RING_WORDS]);
        read_all();
        atomic_store(&liar.place, NULL);
    }
    atomic_store(&liar.is_over, true);
    pthread_join(thread, NULL);
    CHECK(reading_finish(reading, 0)->pools.calls == 0);
}

/* The same without luck: when the words are copied, the ring has another length than the one that
 * was looked at. */
TEST(the_length_that_was_checked_is_the_one_that_counts)
{
    uint64_t words[LIE_WORDS];
    struct ring ring = {.limit = LIE_WORDS, .spill = words, .spill_to = LIE_WORDS};
    memset(words, 'k', sizeof(words));
    words[0] = told_head(0, TOLD_POOL, LIE_WORDS);
    words[1] = 1ull << 32;
    writer_alloc(writer, 0, (struct written_block){0x10000, 4096, 0, here});
    read_all();
    ring.session = reading->sessions[0];
    CHECK(ring_told_see(&ring, 0, told_head(0, TOLD_POOL, 3)) == 0);
    CHECK(ring_told_see(&ring, 0, words[0]) == -EINVAL);
    tell_alloc(0, 0x10000, 100, 1);
    read_all();
    const struct recording *recording = reading_finish(reading, 0);
    assert_string_equal(stack_names(recording, COL_POOL_BYTES), "?;pool: kkkkkkkk;");
}

#define READ(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        READ(pools_stand_under_their_names_and_apart_from_the_heap),
        READ(a_block_waits_for_the_record_of_its_filling),
        READ(a_record_of_a_filling_that_never_comes_is_not_waited_for_for_ever),
        READ(regions_have_names_and_lose_them),
        READ(a_mark_divides_what_all_threads_did),
        READ(what_came_after_a_mark_is_not_read_before_it),
        READ(rings_that_wait_catch_up_before_a_mark),
        READ(marks_at_one_instant_and_late_ones_stay_in_order),
        READ(a_flood_of_marks_is_counted_and_bounded),
        READ(a_flood_of_marks_that_says_it_took_long_is_bounded),
        READ(names_that_are_not_used_cost_nothing),
        READ(a_mark_of_a_wild_time_is_read),
        READ(records_that_make_no_sense_are_lost_alone),
        READ(thousands_of_names_share_one_in_the_end),
        READ(the_length_that_was_checked_is_the_one_that_counts),
        READ(a_length_that_changes_meanwhile_is_read_once),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
