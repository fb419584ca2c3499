/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/memory_bound.h"

#include <string.h>

#include "capture/sessions/recorder.h"
#include "check.h"
#include "reading.h"

#define MIB    (1ull << 20)
#define BLOCKS 20000u

static struct memory_bound bound;

TEST(by_default_it_is_as_large_as_the_program)
{
    memory_bound_init(&bound, 0);
    assert_int_equal(memory_bound_bytes(&bound), MEMORY_BOUND_DEFAULT);
    bound.program_bytes = 5 * MEMORY_BOUND_DEFAULT;
    assert_int_equal(memory_bound_bytes(&bound), 5 * MEMORY_BOUND_DEFAULT);
    memory_bound_init(&bound, 100 * MIB);
    bound.program_bytes = 5 * MEMORY_BOUND_DEFAULT;
    assert_int_equal(memory_bound_bytes(&bound), 100 * MIB);
}

TEST(far_from_it_all_is_traced)
{
    uint64_t rate = HEAP_FULL;
    memory_bound_init(&bound, 128 * MIB);
    CHECK(!memory_bound_step(&bound, 79 * MIB, &rate));
    assert_int_equal(rate, HEAP_FULL);
}

/* What stays as it is, is no reason to trace less. */
TEST(near_it_less_is_traced_as_long_as_it_grows)
{
    uint64_t rate = HEAP_FULL;
    memory_bound_init(&bound, 128 * MIB);
    CHECK(memory_bound_step(&bound, 80 * MIB, &rate));
    uint64_t const first = rate;
    CHECK(first > HEAP_FULL && first < HEAP_OFF);
    CHECK(!memory_bound_step(&bound, 80 * MIB, &rate));
    CHECK(!memory_bound_step(&bound, 87 * MIB, &rate));
    CHECK(memory_bound_step(&bound, 88 * MIB, &rate));
    CHECK(rate > first);
}

/* The word is in memory that the program can write to. */
TEST(a_rate_that_was_put_back_is_not_believed)
{
    uint64_t rate = HEAP_FULL;
    memory_bound_init(&bound, 128 * MIB);
    CHECK(memory_bound_step(&bound, 80 * MIB, &rate));
    uint64_t const first = rate;
    rate = HEAP_FULL;
    CHECK(memory_bound_step(&bound, 100 * MIB, &rate));
    CHECK(rate > first);
}

TEST(there_is_an_end)
{
    uint64_t rate = HEAP_FULL, steps = 0;
    memory_bound_init(&bound, 128 * MIB);
    for (uint64_t used = 80 * MIB; used < 10000 * MIB; used += 8 * MIB)
        steps += memory_bound_step(&bound, used, &rate);
    CHECK(steps > 3 && steps < 20);
    rate = HEAP_OFF;
    CHECK(!memory_bound_step(&bound, 20000 * MIB, &rate));
    assert_int_equal(rate, HEAP_OFF);
}

TEST(what_is_left_is_less_than_the_bound)
{
    memory_bound_init(&bound, 1024 * MIB);
    uint64_t const left = memory_bound_left(&bound);
    CHECK(left > 0 && left < 1024 * MIB);
    memory_bound_init(&bound, 1); /* which this process has already */
    assert_int_equal(memory_bound_left(&bound), 0);
}

/* Of a program that minds no rate. */
static uint64_t lost_of_flood(const char *note)
{
    struct reading *reading = reading_begin();
    CHECK(reading);
    struct ring_writer *writer = &reading->writer;
    reading->memory = &bound;
    writer_thread(writer, 0, 1, 0);
    uint32_t const node = writer_node(writer, TRIE_COMPLETE, 0x400000);
    writer_publish(writer, 0);
    reading_round(reading, 1000);
    for (uint64_t i = 0; i < BLOCKS; i++) {
        writer_alloc(writer, 0, (struct written_block){0x10000000 + i * 4096, 40, 0, node});
        if (i % 500 == 499) {
            writer_publish(writer, 0);
            reading_round(reading, 1000);
        }
    }
    writer_publish(writer, 0);
    const struct recording *recording = reading_finish(reading, 0);
    CHECK(recording);
    bool is_told = false;
    for (size_t i = 0; i < recording->notes.count; i++)
        is_told |= strstr(recording_text(recording, recording->notes.items[i]), note) != NULL;
    uint64_t const lost = recording->quality.lost_events;
    CHECK(is_told == (lost > 0));
    reading_end(reading);
    return lost;
}

TEST(what_has_no_room_is_refused_and_told)
{
    memory_bound_init(&bound, 1);
    uint64_t const lost = lost_of_flood("(--max-memory)");
    CHECK(lost > 0 && lost <= BLOCKS);
    memory_bound_init(&bound, 0);
    assert_int_equal(lost_of_flood("(--max-memory)"), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(by_default_it_is_as_large_as_the_program),
        cmocka_unit_test(far_from_it_all_is_traced),
        cmocka_unit_test(near_it_less_is_traced_as_long_as_it_grows),
        cmocka_unit_test(a_rate_that_was_put_back_is_not_believed),
        cmocka_unit_test(there_is_an_end),
        cmocka_unit_test(what_is_left_is_less_than_the_bound),
        cmocka_unit_test(what_has_no_room_is_refused_and_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
