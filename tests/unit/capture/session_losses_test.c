/* SPDX-License-Identifier: Apache-2.0 */
/* session_losses_test.c - a recording from which events are missing, or in which allocations
 * were left out on purpose: its totals are what the threads counted, and what cannot be known is
 * said to be so. */
#include "capture/sessions/recorder.h"
#include "capture/sessions/session_books.h"

#include "check.h"
#include "model/losses.h"
#include "reading.h"
#include "wire/arena.h"

static struct reading *reading;
static struct ring_writer *writer;
static uint32_t here;
static const struct recorder_attached ran_already = {.root = "", .before = {.attached = 1}};

/* What the threads counted: 1,000 calls of 1,000 bytes, 300 of which were left out. */
static const struct session_counts counted = {
    .exact = {.calls = 1000, .bytes = 1000000, .frees = 900},
    .thinned_calls = 300,
    .thinned_bytes = 300000};

static int set_up(void **state)
{
    (void)state;
    reading = reading_begin();
    if (!reading)
        return -1;
    reading->attached = &ran_already;
    writer = &reading->writer;
    here = writer_node(writer, TRIE_COMPLETE, 0x1111);
    writer_thread(writer, 0, 77, 0);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    reading_end(reading);
    return 0;
}

static void write_rate(uint64_t rate)
{
    writer_words(writer, 0, &(uint64_t){rate << 4 | EVENT_RATE}, 1);
}

static void write_frees(uint64_t first, unsigned count)
{
    for (unsigned i = 0; i < count; i++)
        writer_free(writer, 0, first + i * 16ull, false);
}

static void publish_and_read(void)
{
    writer_publish(writer, 0);
    reading_round(reading, 1000);
}

/* A block that is live, samples begin and end, and so many frees of blocks that nobody has seen. */
static void write_thinned(unsigned unknown)
{
    writer_time(writer, 0, 5000);
    writer_alloc(writer, 0, (struct written_block){0x1000, 100, 12, here});
    write_rate(EVENT_RATE_THINNED | 8u << 10);
    write_frees(0x100000, unknown);
    write_rate(RATE_FULL);
    publish_and_read();
}

/* A program that is stopped cannot be left: then nobody counts at the end. */
TEST(what_was_left_out_is_known_when_nobody_counts_at_the_end)
{
    write_thinned(200);
    session_count(reading->sessions[0], &counted);
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->quality.thinned_calls == 300 && recording->quality.thinned_bytes == 300000);
    CHECK(recording->quality.unknown_frees == 0);
    CHECK(recording->heap.calls == 1000 && recording->heap.bytes == 1000000);
}

/* Frees of blocks that were never seen: of some that were left out, or from before. */
TEST(frees_that_may_be_from_before_are_counted_apart)
{
    write_thinned(350);
    session_count(reading->sessions[0], &counted);
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->quality.unknown_frees == 50 && recording->quality.left_out_frees == 300);
}

/* Of a program whose blocks from before are freed, too, only what is live tells what was freed. */
TEST(what_was_freed_is_what_was_allocated_and_is_not_live)
{
    static const uint64_t gap[6] = {EVENT_GAP, 300, 200, 200000, 100, 5000};
    write_thinned(200);
    writer_time(writer, 0, 6000);
    writer_words(writer, 0, gap, 6);
    publish_and_read();
    session_count(reading->sessions[0], &counted);
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording->heap.bytes == 1000000 && recording->heap.freed_bytes == 1000000 - 100);
    CHECK(recording->heap.frees == 1000 - 1);
    struct value_range freed;
    CHECK(losses_of_freed_calls(recording, &freed));
    CHECK(freed.low <= 1000 - 1 - 200 && freed.high == 1000);
    CHECK(losses_of_freed(recording, &freed));
    CHECK(freed.low <= 800000 - 100 && freed.high == 1000000); /* or less: what was lost is live */
}

/* Of two blocks that are live one may be gone, and others may be there that nobody has seen. */
TEST(blocks_are_counted_as_doubtful_as_their_bytes_are)
{
    static const uint64_t gap[6] = {EVENT_GAP, 8, 5, 500, 3, 5500};
    writer_time(writer, 0, 5000);
    writer_alloc(writer, 0, (struct written_block){0x1000, 100, 12, here});
    writer_time(writer, 0, 6000);
    writer_words(writer, 0, gap, 6);
    writer_time(writer, 0, 50000);
    writer_alloc(writer, 0, (struct written_block){0x2000, 200, 12, here});
    write_frees(0x100000, 7);
    publish_and_read();
    const struct recording *recording = reading_finish(reading, 0);
    struct value_range const live = losses_of_live(recording, 300);
    struct value_range const before = losses_of_before(recording);
    struct value_range calls;
    CHECK(live.low == 200 && live.high == 300 + 500);
    CHECK(losses_of_live_calls(recording, 300, 2, &calls));
    CHECK(calls.low == 1 && calls.high == 2 + 5);
    CHECK(recording->heap.peak_count == 2 && losses_of_peak_calls(recording, &calls));
    CHECK(calls.low == 1 && calls.high == 2 + 5);
    CHECK(before.low == 7 - 5 &&
          before.high == 7 + 3); /* those of lost blocks are not from before */
}

/* Files of others do not tell how many blocks there were. */
TEST(blocks_that_nobody_counted_have_no_range)
{
    struct recording recording = {.heap = {.peak_bytes = 100}};
    struct value_range calls;
    CHECK(!losses_of_peak_calls(&recording, &calls));
    CHECK(!losses_of_live_calls(&recording, 100, 0, &calls));
    CHECK(losses_of_live_calls(&recording, 100, 3, &calls) && calls.low == 3 && calls.high == 3);
    recording.quality.live_doubt_bytes =
        50; /* of a file from before blocks in doubt were counted */
    CHECK(losses_of_live_calls(&recording, 100, 3, &calls) && calls.low == 0 && calls.high == 3);
}

/* The end of a child is looked for now and then, and events have stamps of their own. */
TEST(no_event_is_after_the_end)
{
    struct session_end const end = {.now_ns = 1, .exit_status = 0};
    writer_time(writer, 0, 6000);
    writer_alloc(writer, 0, (struct written_block){0x1000, 100, 12, here});
    publish_and_read();
    ring_reader_drain(reading->reader, &reading->clock);
    CHECK(session_end(reading->sessions[0], &end, NULL) == 0);
    const struct recording *recording = session_recording(reading->sessions[0]);
    CHECK(recording->heap.peak_bytes == 100 && recording->heap.peak_time_ns > 0);
    CHECK(recording->duration_ns >= recording->heap.peak_time_ns);
    CHECK(recording->duration_ns >= recording->threads.items[0].last_ns);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(what_was_left_out_is_known_when_nobody_counts_at_the_end,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(frees_that_may_be_from_before_are_counted_apart, set_up,
                                        tear_down),
        cmocka_unit_test_setup_teardown(what_was_freed_is_what_was_allocated_and_is_not_live,
                                        set_up, tear_down),
        cmocka_unit_test_setup_teardown(blocks_are_counted_as_doubtful_as_their_bytes_are, set_up,
                                        tear_down),
        cmocka_unit_test(blocks_that_nobody_counted_have_no_range),
        cmocka_unit_test_setup_teardown(no_event_is_after_the_end, set_up, tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
