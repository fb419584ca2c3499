/* SPDX-License-Identifier: Apache-2.0 */
#include "model/mark.h"

#include <errno.h>

#include "check.h"

enum { BLOCK = 1, EPOCH = 2, COMPACTION = 3 };

static struct mark_list marks;

static int tear_down(void **state)
{
    (void)state;
    marks_fini(&marks);
    return 0;
}

TEST(a_mark_lasts_until_the_next_one)
{
    CHECK(!marks_have(&marks, 10));
    CHECK(marks_add(&marks, MARK_INSTANT, BLOCK, 10) == 0);
    CHECK(marks_add(&marks, MARK_BEGIN, EPOCH, 20) == 0); /* no end of the mark */
    CHECK(marks_add(&marks, MARK_INSTANT, BLOCK, 30) == 0);
    struct mark_span first = marks_span(&marks, 0, 100), last = marks_span(&marks, 2, 100);
    CHECK(first.from_ns == 10 && first.to_ns == 30 && !first.is_open);
    CHECK(last.from_ns == 30 && last.to_ns == 100 && last.is_open);
    CHECK(marks_have(&marks, 10) && marks_have(&marks, 20) && marks_have(&marks, 30));
    CHECK(!marks_have(&marks, 11) && !marks_have(&marks, 0) && !marks_have(&marks, 31));
}

TEST(phases_overlap_and_an_end_is_of_the_newest_of_its_name)
{
    marks_add(&marks, MARK_BEGIN, EPOCH, 10);
    marks_add(&marks, MARK_BEGIN, COMPACTION, 20);
    marks_add(&marks, MARK_BEGIN, COMPACTION, 30);
    marks_add(&marks, MARK_END, EPOCH, 40);
    marks_add(&marks, MARK_END, COMPACTION, 50);
    marks_add(&marks, MARK_END, COMPACTION, 60);
    marks_add(&marks, MARK_END, COMPACTION, 70); /* of nothing */
    CHECK(marks.count == 6 && marks.left_out == 0);
    CHECK(marks_span(&marks, 0, 100).to_ns == 40);
    CHECK(marks_span(&marks, 1, 100).to_ns == 60);
    CHECK(marks_span(&marks, 2, 100).to_ns == 50);
}

TEST(time_never_goes_back)
{
    marks_add(&marks, MARK_INSTANT, BLOCK, 10);
    marks_add(&marks, MARK_INSTANT, BLOCK, 5);
    CHECK(marks.items[1].time_ns == 10);
}

TEST(the_newest_half_of_many_marks_is_whole)
{
    for (uint32_t i = 1; i <= 100000; i++)
        CHECK(marks_add(&marks, MARK_INSTANT, i, i) == 0);
    CHECK(marks.count <= MARKS_MAX && marks.count + marks.left_out == 100000 && marks.thinned > 0);
    for (uint32_t i = 0; i < MARKS_MAX / 2; i++)
        CHECK(marks.items[marks.count - 1 - i].label == 100000 - i);
    for (size_t i = 1; i < marks.count; i++) /* old ones are few, but there are some of all times */
        CHECK(marks.items[i].time_ns - marks.items[i - 1].time_ns <= 64);
    CHECK(marks.items[0].time_ns == 1);
    for (size_t i = 1; i < marks.count; i++)
        CHECK(marks.items[i - 1].number < marks.items[i].number);
}

TEST(a_phase_goes_with_both_its_ends)
{
    marks_add(&marks, MARK_BEGIN, EPOCH, 1); /* stays open, and stays */
    for (uint32_t i = 1; i <= 20000; i++) {
        marks_add(&marks, MARK_BEGIN, COMPACTION, 10 * i);
        marks_add(&marks, MARK_INSTANT, BLOCK, 10 * i + 2);
        marks_add(&marks, MARK_END, COMPACTION, 10 * i + 5);
    }
    size_t open = 0;
    CHECK(marks.items[0].label == EPOCH && marks.count <= MARKS_MAX);
    for (size_t i = 0; i < marks.count; i++) {
        if (marks.items[i].kind == MARK_BEGIN)
            open += marks_span(&marks, i, 1000000).is_open;
        if (marks.items[i].label == COMPACTION && marks.items[i].kind == MARK_BEGIN)
            CHECK(marks_span(&marks, i, 1000000).to_ns == marks.items[i].time_ns + 5);
    }
    CHECK(open == 1);
}

TEST(phases_that_never_end_do_not_take_all_there_is)
{
    for (uint32_t i = 1; i <= 2 * MARKS_MAX; i++)
        CHECK(marks_add(&marks, MARK_BEGIN, i, i) == 0);
    CHECK(marks.count == MARKS_MAX && marks.left_out == MARKS_MAX);
}

TEST(a_file_cannot_bring_nonsense)
{
    CHECK(marks_append(&marks, (struct mark){.number = 5,
                                             .begin = 0,
                                             .kind = MARK_BEGIN,
                                             .label = EPOCH,
                                             .time_ns = 10}) == 0);
    CHECK(marks_append(&marks, (struct mark){.number = 5,
                                             .begin = 0,
                                             .kind = MARK_INSTANT,
                                             .label = EPOCH,
                                             .time_ns = 10}) == -EINVAL);
    CHECK(marks_append(&marks, (struct mark){.number = 6,
                                             .begin = 0,
                                             .kind = MARK_INSTANT,
                                             .label = EPOCH,
                                             .time_ns = 9}) == -EINVAL);
    CHECK(marks_append(
              &marks,
              (struct mark){.number = 6, .begin = 0, .kind = 4, .label = EPOCH, .time_ns = 10}) ==
          -EINVAL);
    CHECK(marks_append(&marks, (struct mark){.number = 6,
                                             .begin = 6,
                                             .kind = MARK_END,
                                             .label = EPOCH,
                                             .time_ns = 10}) == -EINVAL);
    CHECK(marks_append(&marks, (struct mark){.number = 6,
                                             .begin = 0,
                                             .kind = MARK_END,
                                             .label = EPOCH,
                                             .time_ns = 10}) == -EINVAL);
    CHECK(marks_append(
              &marks,
              (struct mark){
                  .number = 6, .begin = 5, .kind = MARK_END, .label = EPOCH, .time_ns = 10}) == 0);
    CHECK(marks.count == 2 && marks.last_number == 6);
}

#define MARKS(name) cmocka_unit_test_teardown(name, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        MARKS(a_mark_lasts_until_the_next_one),
        MARKS(phases_overlap_and_an_end_is_of_the_newest_of_its_name),
        MARKS(time_never_goes_back),
        MARKS(the_newest_half_of_many_marks_is_whole),
        MARKS(a_phase_goes_with_both_its_ends),
        MARKS(phases_that_never_end_do_not_take_all_there_is),
        MARKS(a_file_cannot_bring_nonsense),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
