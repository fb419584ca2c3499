/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/ring_reader.h"

#include <stdlib.h>
#include <string.h>

#include "check.h"
#include "program_side.h"
#include "reading.h"

static struct reading *reading;
static struct ring_writer *writer;
static uint32_t here, there; /* two sites */
#define HERE_IP  0x1111u
#define THERE_IP 0x2222u

static int set_up(void **state)
{
    (void)state;
    reading = reading_begin();
    if (!reading)
        return -1;
    writer = &reading->writer;
    here = writer_node(writer, TRIE_COMPLETE, HERE_IP);
    there = writer_node(writer, TRIE_NO_RULE, THERE_IP);
    writer_thread(writer, 0, 77, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    reading_end(reading);
    return 0;
}

static void write_block(uint32_t slot, uint64_t address, uint64_t size, uint32_t node)
{
    writer_alloc(writer, slot, (struct written_block){address, size, (16 - size % 16) % 16, node});
}

static void publish_and_read(void)
{
    writer_publish(writer, 0);
    reading_round(reading, 1000);
}

TEST(every_record_is_understood)
{
    static const uint64_t map[3] = {0x7f0000000000ull << 16 | EVENT_MAP, TRIE_FIRST_NODE, 65536};
    static const uint64_t unmap[2] = {0x7f0000000000ull << 16 | EVENT_UNMAP, 4096};
    static const uint64_t gap[6] = {EVENT_GAP, 10, 4, 4000, 6, 5};
    writer_time(writer, 0, 5000);
    write_block(0, 0x1000, 100, here);
    write_block(0, 0x2000, 1ull << 40, there); /* needs the long form */
    writer_alloc(writer, 0, (struct written_block){0x3000, 10, 1003, here});
    writer_free(writer, 0, 0x1000, true);
    writer_move(writer, 0, 0x3000); /* becomes another */
    write_block(0, 0x4000, 30, there);
    writer_move(writer, 0, 0x4000); /* fails */
    writer_outcome(writer, 0, OUTCOME_FAILED);
    write_block(0, 0x5000, 50, here);
    writer_move(writer, 0, 0x5000); /* to nothing */
    writer_outcome(writer, 0, OUTCOME_DONE);
    writer_words(writer, 0, map, 3);
    writer_words(writer, 0, unmap, 2);
    writer_outcome(writer, 0, OUTCOME_FAILED);
    writer_words(writer, 0, unmap, 2);
    writer_outcome(writer, 0, OUTCOME_DONE);
    writer_words(writer, 0, gap, 6);
    publish_and_read();
    CHECK(ring_reader_words(reading->reader) == writer_written(writer, 0));
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->heap.calls == 5 && recording->heap.frees == 3);
    CHECK(recording->heap.bytes == 100 + (1ull << 40) + 10 + 30 + 50);
    CHECK(recording->heap.freed_bytes == 100 + 10 + 50 && recording->heap.temporary == 1);
    CHECK(recording->heap.slack_bytes == 12 + 0 + 1003 + 2 + 14);
    CHECK(reading_live(recording, HERE_IP) == 0);
    CHECK(reading_live(recording, THERE_IP) == (1ll << 40) + 30);
    CHECK(recording->maps.calls == 1 && recording->maps.freed_bytes == 4096);
    CHECK(recording->quality.lost_events == 10 && recording->quality.lost_calls == 4);
    CHECK(recording->quality.lost_bytes == 4000);
    CHECK(recording->quality.implied_frees == 0 && recording->quality.unknown_frees == 0);
    CHECK(recording->quality.stack_ends[STACK_END_COMPLETE] == 3);
    CHECK(recording->quality.stack_ends[STACK_END_NO_RULE] == 2);
    CHECK(recording->threads.count == 1 && recording->threads.items[0].tid == 77);
    CHECK(recording->threads.items[0].last_ns == 5000 - 1000); /* opened at 1000 */
}

TEST(a_realloc_may_end_in_a_later_round)
{
    write_block(0, 0x1000, 100, here);
    write_block(0, 0x2000, 200, here);
    writer_move(writer, 0, 0x1000);
    publish_and_read();
    writer_outcome(writer, 0, OUTCOME_FAILED);
    writer_move(writer, 0, 0x2000);
    publish_and_read();
    write_block(0, 0x2000, 300, there);
    publish_and_read();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(reading_live(recording, HERE_IP) == 100 && reading_live(recording, THERE_IP) == 300);
    CHECK(recording->heap.calls == 3 && recording->heap.frees == 1);
    CHECK(recording->quality.unknown_frees == 0 && recording->quality.implied_frees == 0);
}

TEST(two_part_records_may_be_cut_off_at_the_end)
{
    static const uint64_t map[3] = {0x7f0000000000ull << 16 | EVENT_MAP, TRIE_FIRST_NODE, 65536};
    static const uint64_t unmap[2] = {0x7f0000000000ull << 16 | EVENT_UNMAP, 4096};
    write_block(0, 0x1000, 100, here);
    writer_words(writer, 0, map, 3);
    writer_words(writer, 0, unmap, 2); /* killed inside munmap */
    writer_thread(writer, 1, 78, 0);
    writer_move(writer, 1, 0x1000); /* killed inside realloc */
    writer_publish(writer, 1);
    publish_and_read();
    CHECK(ring_reader_words(reading->reader) < writer_written(writer, 0) + 3); /* it waits */
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->maps.calls == 1 && recording->maps.freed_bytes == 0);
    CHECK(recording->heap.calls == 1 && recording->heap.frees == 1);
}

TEST(a_torn_ring_loses_what_is_in_it_and_no_more)
{
    write_block(0, 0x1000, 100, here);
    writer_words(writer, 0, (uint64_t[]){0, 0, 0x1234560000000001, 99}, 4);
    publish_and_read();
    write_block(0, 0x3000, 300, there);
    publish_and_read();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->heap.calls == 2 && recording->quality.lost_events == 1);
    CHECK(reading_live(recording, HERE_IP) == 100 && reading_live(recording, THERE_IP) == 300);
}

TEST(half_a_record_at_the_end_does_not_hold_us_for_ever)
{
    static const enum event_type types[] = {EVENT_ALLOC, EVENT_ALLOC_BIG, EVENT_MAP,
                                            EVENT_UNMAP, EVENT_GAP,       EVENT_THREAD};
    for (uint32_t i = 0; i < sizeof(types) / sizeof(types[0]); i++) {
        writer_thread(writer, i + 1, 100 + i, 0);
        writer_words(writer, i + 1, &(uint64_t){0x1000ull << 16 | types[i]}, 1);
        writer_publish(writer, i + 1);
    }
    write_block(0, 0x2000, 100, here);
    publish_and_read();
    const struct recording *recording = reading_finish(reading, 0); /* comes back */
    CHECK(recording->heap.calls == 1 && reading_live(recording, HERE_IP) == 100);
    CHECK(recording->quality.lost_calls == 0);
}

TEST(sizes_that_cannot_be_are_lost)
{
    static const uint64_t map[3] = {0x7f0000000000ull << 16 | EVENT_MAP, TRIE_FIRST_NODE,
                                    1ull << 63};
    writer_alloc(writer, 0, (struct written_block){0x1000, INT64_MAX, 9, here});
    writer_alloc(writer, 0, (struct written_block){0x2000, 8, UINT64_MAX - 100, here});
    writer_alloc(writer, 0, (struct written_block){0x3000, (1ull << 47) - 1, 1, there});
    writer_words(writer, 0, map, 3);
    publish_and_read();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->heap.calls == 1 && recording->heap.bytes == (1ull << 47) - 1);
    CHECK(recording->quality.lost_events == 2 && recording->maps.calls == 0);
}

TEST(heads_that_cannot_be_are_ignored)
{
    write_block(0, 0x1000, 100, here);
    publish_and_read();
    writer_publish_to(writer, 0, writer_written(writer, 0) + RING_WORDS + 1);
    reading_round(reading, 1000);
    writer_publish_to(writer, 0, 1);
    reading_round(reading, 1000);
    writer_publish_to(writer, 0, UINT64_MAX);
    reading_round(reading, 1000);
    atomic_store(&program_side(writer->arena)->slot_high, UINT32_MAX); /* all slots there are */
    writer_publish(writer, 0);
    write_block(0, 0x2000, 200, here);
    publish_and_read();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->heap.calls == 2 && reading_live(recording, HERE_IP) == 300);
}

TEST(processes_have_books_of_their_own)
{
    writer_process(writer, 1, 4242, "/bin/child");
    writer_thread(writer, 1, 88, 1);
    writer_thread(writer, 2, 99, 60000); /* one that nobody records */
    memset(writer->numbers, 0, sizeof(writer->numbers));
    write_block(0, 0x1000, 100, here);
    memset(writer->numbers, 0, sizeof(writer->numbers)); /* each counts for itself */
    write_block(1, 0x1000, 222, there);
    writer_publish(writer, 1);
    write_block(2, 0x1000, 333, there);
    writer_publish(writer, 2);
    publish_and_read();
    writer_thread(writer, 0, 79, 1); /* the slot changes hands */
    write_block(0, 0x5000, 500, here);
    publish_and_read();
    const struct recording *parent = reading_finish(reading, 0);
    const struct recording *child = reading_finish(reading, 1);
    CHECK(parent->heap.calls == 1 && parent->heap.bytes == 100);
    CHECK(child->heap.calls == 2 && child->heap.bytes == 722 && child->pid == 4242);
    CHECK(child->threads.count == 2 && parent->threads.count == 1);
    assert_string_equal(recording_text(child, child->program), "/bin/child");
    CHECK(!reading->sessions[2] && !reading->sessions[3]);
}

/* Process 1, forked from process 0 after its FORK number `id`. */
static void write_forked(uint32_t id)
{
    writer_process(writer, 1, 4242, "/bin/program");
    struct arena_process *child = arena_process_at(program_side(writer->arena), 1);
    child->forked = 1;
    child->parent = 0;
    child->parent_serial = arena_process_at(program_side(writer->arena), 0)->serial;
    child->fork_id = id;
    writer_thread(writer, 1, 88, 1);
}

TEST(a_forked_child_has_what_its_parent_had)
{
    write_block(0, 0x1000, 100, here);
    write_block(0, 0x2000, 200, there);
    writer_publish(writer, 0);
    write_forked(1);
    writer_free(writer, 1, 0x2000, false);
    writer_publish(writer, 1);
    reading_round(reading, 1000); /* the child is read first, and waits */
    CHECK(!reading->sessions[1] || session_waits_for_parent(reading->sessions[1]));
    writer_fork(writer, 0, 1, 5000000);
    writer_time(writer, 0, 9000000);
    writer_free(writer, 0, 0x1000, false);
    write_block(0, 0x3000, 300, there);
    publish_and_read();
    const struct recording *parent = reading_finish(reading, 0);
    CHECK(reading_live(parent, HERE_IP) == 0 && reading_live(parent, THERE_IP) == 500);
    const struct recording *child = reading_finish(reading, 1);
    CHECK(reading_live(child, HERE_IP) == 100 && reading_live(child, THERE_IP) == 0);
    CHECK(child->quality.unknown_frees == 0 && child->heap.frees == 1);
}

TEST(a_fork_that_was_never_told_is_not_waited_for)
{
    write_block(0, 0x1000, 100, here);
    writer_publish(writer, 0);
    write_forked(7);
    writer_free(writer, 1, 0x1000, false);
    write_block(1, 0x2000, 200, there);
    writer_publish(writer, 1);
    for (int i = 0; i < 5; i++)
        reading_round(reading, 600000000);
    const struct recording *child = reading_finish(reading, 1);
    CHECK(child->quality.unknown_frees == 1 && child->heap.calls == 1);
    CHECK(reading_live(child, HERE_IP) == 0 && reading_live(child, THERE_IP) == 200);
}

TEST(a_ring_goes_round_and_round)
{
    uint64_t size = 0;
    for (unsigned round = 0; round < 40; round++) {
        for (unsigned i = 0; i < 4000; i++) {
            write_block(0, 0x1000 + 64 * i, i, here);
            writer_free(writer, 0, 0x1000 + 64 * i, true);
            size += i;
        }
        publish_and_read();
        CHECK(atomic_load(&arena_slot_at(program_side(writer->arena), 0)->tail) ==
              writer_written(writer, 0));
    }
    CHECK(writer_written(writer, 0) > 7 * RING_WORDS);
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->heap.calls == 160000 && recording->heap.frees == 160000);
    CHECK(recording->heap.bytes == size && recording->heap.temporary == 160000);
    CHECK(recording->heap.peak_bytes == 3999);
}

TEST(an_event_waits_for_what_comes_before_it)
{
    writer_thread(writer, 1, 78, 0);
    write_block(1, 0x1000, 100, here); /* not published yet */
    writer_free(writer, 0, 0x1000, false);
    write_block(0, 0x1000, 200, there);
    publish_and_read();
    publish_and_read();
    CHECK(ring_reader_words(reading->reader) == 2); /* nothing but the thread's beginning */
    writer_publish(writer, 1);
    publish_and_read();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(reading_live(recording, HERE_IP) == 0 && reading_live(recording, THERE_IP) == 200);
    CHECK(recording->quality.unknown_frees == 0 && recording->quality.implied_frees == 0);
}

TEST(what_never_comes_is_not_waited_for_for_ever)
{
    writer->numbers[event_group(0x1000)]++; /* an event that was lost */
    writer_free(writer, 0, 0x1000, false);
    write_block(0, 0x2000, 200, there);
    publish_and_read();
    for (int i = 0; i < 4; i++)
        reading_round(reading, 600000000);
    CHECK(ring_reader_words(reading->reader) == writer_written(writer, 0));
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->quality.unknown_frees == 1 && reading_live(recording, THERE_IP) == 200);
}

/* A thread that was put aside for long between counting and writing: what it writes then was
 * booked already. */
TEST(what_comes_after_it_was_given_up_is_not_booked_twice)
{
    write_block(0, 0x1000, 100, here);
    writer_publish(writer, 0);
    reading_round(reading, 1000);
    uint64_t const before = writer_written(writer, 0);
    writer_free(writer, 0, 0x1000, false); /* nobody can read it yet */
    writer_thread(writer, 1, 78, 0);
    write_block(1, 0x1000, 30, there);
    writer_publish_to(writer, 0, before);
    writer_publish(writer, 1);
    for (unsigned i = 0; i < 4; i++)
        reading_round(reading, 600000000);
    writer_publish(writer, 0);
    reading_round(reading, 1000);
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->heap.calls == 2 && recording->heap.frees == 1);
    CHECK(reading_live(recording, THERE_IP) == 30);
    CHECK(recording->quality.implied_frees == 0 && recording->quality.unknown_frees == 0);
}

/* Another address that is counted together with this one. */
static uint64_t mate_of(uint64_t address)
{
    uint64_t mate = address + 16;
    while (event_group(mate) != event_group(address))
        mate += 16;
    return mate;
}

static void write_numbered(uint32_t slot, uint64_t address, uint16_t number)
{
    writer->numbers[event_group(address)] = (uint16_t)(number - 1);
    write_block(slot, address, 16, here);
}

/* Two rings, both full to the brim, each of which begins with what comes after something further
 * on in the other. */
TEST(full_rings_that_wait_for_each_other_are_read)
{
    uint64_t const a = 0x10000, b = 0x20000;
    uint64_t filled = 4;
    writer_thread(writer, 1, 78, 0);
    write_numbered(0, mate_of(b), 2);
    write_numbered(0, a, 1);
    write_numbered(1, mate_of(a), 2);
    write_numbered(1, b, 1);
    writer->numbers[event_group(a)] = writer->numbers[event_group(b)] = 2;
    for (uint32_t slot = 0; slot < 2; slot++)
        for (uint64_t i = 0; writer_written(writer, slot) + 2 <= RING_WORDS; i++, filled++)
            write_block(slot, 0x7f0000000000ull + ((uint64_t)slot << 32) + 64 * i, 16, here);
    writer_publish(writer, 0);
    writer_publish(writer, 1);
    for (unsigned i = 0; i < 8; i++)
        reading_round(reading, 600000000);
    CHECK(ring_reader_words(reading->reader) ==
          writer_written(writer, 0) + writer_written(writer, 1));
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->heap.calls == filled && recording->quality.lost_events == 0);
    CHECK(reading_live(recording, HERE_IP) == (int64_t)(16 * filled));
}

/* Two threads that are never at it at once: what one has is given back before the other asks.  A
 * small event holds the first ring until the second is read up to where it goes on. */
TEST(a_ring_that_waits_is_not_overtaken)
{
    uint64_t const small = 0x10000, large = 0x20000;
    writer_thread(writer, 1, 78, 0);
    writer_time(writer, 0, 1000);
    write_block(0, large, 100000, here);
    write_numbered(0, small, 2);
    writer_time(writer, 0, 3000);
    writer_free(writer, 0, large, false);
    writer_time(writer, 1, 2000);
    write_numbered(1, mate_of(small), 1); /* before the one that waits */
    writer_time(writer, 1, 4000);
    write_block(1, large + 0x1000, 100000, there);
    writer_publish(writer, 0);
    writer_publish(writer, 1);
    reading_round(reading, 1000);
    CHECK(ring_reader_words(reading->reader) ==
          writer_written(writer, 0) + writer_written(writer, 1));
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->heap.calls == 4 && recording->heap.peak_bytes == 100032);
}

TEST(an_allocation_at_a_live_address_implies_the_lost_free)
{
    write_block(0, 0x1000, 100, here);
    write_block(0, 0x1000, 200, there);
    publish_and_read();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->quality.implied_frees == 1);
    CHECK(reading_live(recording, HERE_IP) == 0 && reading_live(recording, THERE_IP) == 200);
}

TEST(a_forgotten_session_gets_no_more)
{
    write_block(0, 0x1000, 100, here);
    publish_and_read();
    ring_reader_forget(reading->reader, reading->sessions[0]);
    write_block(0, 0x2000, 100, here);
    publish_and_read();
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->heap.calls == 1);
}

TEST(an_unmap_cut_off_does_not_eat_the_next_thread)
{
    static const uint64_t map[3] = {0x7f0000000000ull << 16 | EVENT_MAP, TRIE_FIRST_NODE, 65536};
    static const uint64_t unmap[2] = {0x7f0000000000ull << 16 | EVENT_UNMAP, 4096};
    struct ring_marks marks;
    writer_words(writer, 0, map, 3);
    writer_words(writer, 0, unmap, 2); /* and its thread is killed */
    writer_publish(writer, 0);
    ring_reader_mark(reading->reader, &marks);
    CHECK(!ring_reader_is_past(reading->reader, &marks));
    reading_round(reading, 1000);
    CHECK(ring_reader_is_past(reading->reader, &marks)); /* the rest will never come */
    writer_thread(writer, 0, 78, 0);
    write_block(0, 0x1000, 100, here);
    publish_and_read();
    CHECK(ring_reader_words(reading->reader) == writer_written(writer, 0));
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->threads.count == 2 && reading_live(recording, HERE_IP) == 100);
}

TEST(marks_are_passed_when_all_before_them_is_read)
{
    struct ring_marks marks;
    writer_thread(writer, 1, 78, 0);
    writer->numbers[event_group(0x1000)]++; /* the next event waits for this one */
    writer_free(writer, 0, 0x1000, false);
    writer_publish(writer, 0);
    ring_reader_mark(reading->reader, &marks);
    reading_round(reading, 1000);
    CHECK(!ring_reader_is_past(reading->reader, &marks));
    for (int i = 0; i < 4; i++)
        reading_round(reading, 600000000);
    CHECK(ring_reader_is_past(reading->reader, &marks));
    writer_free(writer, 0, 0x2000, false); /* what comes later does not matter */
    writer_publish(writer, 0);
    CHECK(ring_reader_is_past(reading->reader, &marks));
}

/* A round that takes too long ends where it is, and the next one goes on there. */
TEST(a_round_that_takes_long_is_read_in_parts)
{
    enum { BLOCKS = 8000 };
    writer_thread(writer, 1, 78, 0);
    for (uint64_t i = 0; i < BLOCKS; i++) {
        writer_time(writer, i % 2, 1000 + i);
        write_block(i % 2, 0x100000 + 64 * i, 10, here);
    }
    writer_publish(writer, 0);
    writer_publish(writer, 1);
    ring_reader_limit_rounds(reading->reader, 0);
    reading_round(reading, 1000);
    uint64_t const all = writer_written(writer, 0) + writer_written(writer, 1);
    uint64_t read = ring_reader_words(reading->reader);
    CHECK(read > 0 && read < all / 2);
    for (unsigned i = 0; i < 100 && read < all; i++) {
        reading_round(reading, 1000);
        uint64_t const now = ring_reader_words(reading->reader);
        CHECK(now > read);
        read = now;
    }
    CHECK(read == all);
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording && reading_live(recording, HERE_IP) == BLOCKS * 10);
    CHECK(recording->quality.implied_frees == 0 && recording->quality.lost_events == 0);
}

#define READ(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        READ(every_record_is_understood),
        READ(a_realloc_may_end_in_a_later_round),
        READ(two_part_records_may_be_cut_off_at_the_end),
        READ(a_torn_ring_loses_what_is_in_it_and_no_more),
        READ(half_a_record_at_the_end_does_not_hold_us_for_ever),
        READ(sizes_that_cannot_be_are_lost),
        READ(heads_that_cannot_be_are_ignored),
        READ(processes_have_books_of_their_own),
        READ(a_forked_child_has_what_its_parent_had),
        READ(a_fork_that_was_never_told_is_not_waited_for),
        READ(a_ring_goes_round_and_round),
        READ(an_event_waits_for_what_comes_before_it),
        READ(what_never_comes_is_not_waited_for_for_ever),
        READ(what_comes_after_it_was_given_up_is_not_booked_twice),
        READ(full_rings_that_wait_for_each_other_are_read),
        READ(a_ring_that_waits_is_not_overtaken),
        READ(an_allocation_at_a_live_address_implies_the_lost_free),
        READ(a_forgotten_session_gets_no_more),
        READ(an_unmap_cut_off_does_not_eat_the_next_thread),
        READ(marks_are_passed_when_all_before_them_is_read),
        READ(a_round_that_takes_long_is_read_in_parts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
