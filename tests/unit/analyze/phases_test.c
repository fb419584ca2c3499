/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/sums/phases.h"

#include <errno.h>
#include <stdlib.h>

#include "check.h"
#include "sample_recording.h"

#define SEC UINT64_C(1000000000)
#define MIB (INT64_C(1) << 20)

static struct sample sample;
static struct phases phases;

static int begin(void **state)
{
    (void)state;
    sample = sample_create();
    return 0;
}

static int end(void **state)
{
    (void)state;
    phases_fini(&phases);
    sample_destroy(&sample);
    return 0;
}

static void mark(enum mark_kind kind, const char *name, uint64_t time_ns)
{
    marks_add(&sample.recording->marks, kind, recording_intern(sample.recording, name), time_ns);
}

static int build(const char *metric, struct time_range range, const uint32_t *codes)
{
    struct phase_question question = {metric_find(metric), range, codes};
    phases_fini(&phases);
    return phases_build(sample.recording, &question, &phases, NULL);
}

TEST(nothing_named_is_no_row)
{
    CHECK(build("heap.live", TIME_ALL, NULL) == 0 && phases.rows.count == 0);
}

TEST(pieces_from_mark_to_mark_add_up_to_the_whole)
{
    mark(MARK_INSTANT, "two", 10 * SEC);
    mark(MARK_INSTANT, "three", 20 * SEC);
    CHECK(build("heap.live", TIME_ALL, NULL) == 0 && phases.rows.count == 3);
    const struct phase_row *rows = phases.rows.items;
    CHECK(rows[0].name == STRING_EMPTY && rows[0].from_ns == 0 && rows[0].to_ns == 10 * SEC);
    CHECK(rows[0].calls == 4 + 1000 + 1 + 1 && rows[0].frees == 1000);
    CHECK(rows[0].allocated_bytes == 4 * MIB + 64000 + 4000 + 100);
    CHECK(rows[0].value == 4 * MIB + 4100 && rows[0].count == 6);
    CHECK(rows[1].value == 7 * MIB && rows[1].count == 8 && rows[1].is_exact && !rows[1].is_open);
    CHECK(rows[1].live_end_bytes == 11 * MIB + 4100 && rows[1].live_end_count == 14);
    CHECK(rows[2].value == -8 * MIB - MIB / 2 && rows[2].count == -9 && rows[2].is_open);
    CHECK(rows[2].to_ns == 30 * SEC && rows[2].freed_bytes == 8 * MIB + MIB / 2 + 64000);
    CHECK(rows[0].value + rows[1].value + rows[2].value == rows[2].live_end_bytes);
}

TEST(phases_overlap_and_come_in_order)
{
    mark(MARK_BEGIN, "long", 0);
    mark(MARK_BEGIN, "short", 10 * SEC);
    mark(MARK_END, "short", 20 * SEC);
    mark(MARK_BEGIN, "open", 20 * SEC);
    mark(MARK_END, "long", 30 * SEC);
    CHECK(build("heap.calls", TIME_ALL, NULL) == 0 && phases.rows.count == 3);
    const struct phase_row *rows = phases.rows.items;
    CHECK(rows[0].value == 4 + 6 + 3000 + 2 + 1 + 1 && rows[0].is_phase && !rows[0].is_open);
    CHECK(rows[1].value == 6 + 1000 + 2 && rows[2].value == 1000 && rows[2].is_open);
}

TEST(only_the_time_and_the_stacks_that_were_asked_for)
{
    uint32_t *codes = calloc(stack_table_count(sample.recording->stacks) + 1, sizeof(uint32_t));
    codes[sample.stacks[SITE_CACHE]] = 1;
    mark(MARK_INSTANT, "two", 10 * SEC);
    mark(MARK_INSTANT, "three", 20 * SEC);
    CHECK(build("heap.allocated", (struct time_range){10 * SEC, 20 * SEC}, codes) == 0);
    CHECK(phases.rows.count == 1 && phases.rows.items[0].value == 6 * MIB);
    CHECK(phases.rows.items[0].live_end_bytes == 10 * MIB); /* with what was there before */
    CHECK(build("pool.live", TIME_ALL, NULL) == 0);
    CHECK(phases.rows.count == 3 && phases.rows.items[1].calls == 0);
    free(codes);
}

/* Its bucket was merged with others to keep the file small. */
TEST(what_is_not_on_a_boundary_says_so)
{
    mark(MARK_INSTANT, "in between", 15 * SEC);
    CHECK(build("heap.live", TIME_ALL, NULL) == 0 && phases.rows.count == 2);
    CHECK(!phases.rows.items[0].is_exact && !phases.rows.items[1].is_exact);
    CHECK(phases.rows.items[0].value == 11 * MIB + 4100); /* outward: to 20 s */
}

TEST(an_empty_recording_has_none)
{
    struct recording *empty = recording_create();
    struct phase_question question = {metric_find("heap.live"), TIME_ALL, NULL};
    marks_add(&empty->marks, MARK_INSTANT, STRING_EMPTY, 5);
    CHECK(phases_build(empty, &question, &phases, NULL) == 0 && phases.rows.count == 0);
    recording_destroy(empty);
}

#define PHASES(name) cmocka_unit_test_setup_teardown(name, begin, end)

int main(void)
{
    const struct CMUnitTest tests[] = {
        PHASES(nothing_named_is_no_row),
        PHASES(pieces_from_mark_to_mark_add_up_to_the_whole),
        PHASES(phases_overlap_and_come_in_order),
        PHASES(only_the_time_and_the_stacks_that_were_asked_for),
        PHASES(what_is_not_on_a_boundary_says_so),
        PHASES(an_empty_recording_has_none),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
