/* SPDX-License-Identifier: Apache-2.0 */
#include "analyze/alerts/plausible.h"

#include "check.h"

#define MIB (1ull << 20)

/* A program that is as programs are. */
static struct recording *healthy(void)
{
    struct recording *recording = recording_create();
    assert_non_null(recording);
    recording->source = recording_intern(recording, "memoir run");
    recording->heap = (struct totals){.calls = 100000, .frees = 99000, .peak_bytes = 50 * MIB};
    recording->anon_peak_bytes = 70 * MIB;
    return recording;
}

static void add_trait(struct recording *recording, enum trait_kind kind, bool in_executable,
                      bool is_seen)
{
    struct trait trait = {.kind = kind, .in_executable = in_executable, .is_seen = is_seen};
    CHECK(vec_push(&recording->traits, trait));
}

static struct plausibility check(struct recording *recording)
{
    struct plausibility found;
    plausible_check(recording, &found);
    recording_destroy(recording);
    return found;
}

TEST(a_healthy_recording_raises_no_doubt)
{
    assert_int_equal(check(healthy()).count, 0);
}

TEST(what_is_seen_raises_no_doubt)
{
    struct recording *recording = healthy();
    add_trait(recording, TRAIT_JEMALLOC, false, true);
    add_trait(recording, TRAIT_PYTHON, true, true);
    add_trait(recording, TRAIT_RUST, true, true);
    assert_int_equal(check(recording).count, 0);
}

TEST(a_runtime_is_doubted_and_explains_missing_memory)
{
    struct recording *recording = healthy();
    add_trait(recording, TRAIT_JAVA, false, false);
    recording->heap.peak_bytes = 3 * MIB;
    struct plausibility found;
    plausible_check(recording, &found);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.doubts[0].kind, DOUBT_RUNTIME);
    assert_int_equal(found.doubts[0].trait->kind, TRAIT_JAVA);
    CHECK(found.lacks_memory);
    recording_destroy(recording);
}

TEST(an_allocator_inside_comes_first_and_explains_missing_frees)
{
    struct recording *recording = healthy();
    add_trait(recording, TRAIT_GO, true, false);
    add_trait(recording, TRAIT_JEMALLOC, true, false);
    recording->heap.frees = 0;
    struct plausibility found;
    plausible_check(recording, &found);
    assert_int_equal(found.count, 2);
    assert_int_equal(found.doubts[0].trait->kind, TRAIT_JEMALLOC);
    assert_int_equal(found.doubts[1].trait->kind, TRAIT_GO);
    recording_destroy(recording);
}

TEST(a_library_that_may_only_be_a_plugin_needs_evidence)
{
    struct recording *recording = healthy();
    add_trait(recording, TRAIT_PYTHON, false, false);
    assert_int_equal(check(recording).count, 0);
    recording = healthy();
    add_trait(recording, TRAIT_PYTHON, false, false);
    recording->heap.peak_bytes = 1 * MIB;
    assert_int_equal(check(recording).count, 1);
}

TEST(nothing_at_all_is_doubted)
{
    struct recording *recording = healthy();
    recording->heap = (struct totals){0};
    recording->anon_peak_bytes = 0;
    struct plausibility found = check(recording);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.doubts[0].kind, DOUBT_NOTHING);
}

TEST(a_heap_that_was_off_is_that_and_nothing_else)
{
    struct recording *recording = healthy();
    recording->heap = (struct totals){0};
    recording->quality.off_ns = 1;
    struct plausibility found = check(recording);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.doubts[0].kind, DOUBT_OFF);

    recording = healthy();
    recording->quality.off_ns = 1;
    recording->heap.frees = 0;
    assert_int_equal(check(recording).count, 1);
}

TEST(resident_memory_without_blocks_is_doubted)
{
    struct recording *recording = healthy();
    recording->heap.peak_bytes = 30 * MIB; /* 40 MiB more, and less than half */
    struct plausibility found = check(recording);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.doubts[0].kind, DOUBT_MEMORY);

    recording = healthy();
    recording->heap.peak_bytes = 36 * MIB; /* 34 MiB more, but more than half */
    assert_int_equal(check(recording).count, 0);

    recording = healthy();
    recording->heap.peak_bytes = 1 * MIB;
    recording->anon_peak_bytes = 30 * MIB; /* a small program with a few libraries */
    assert_int_equal(check(recording).count, 0);
}

TEST(memory_that_came_after_the_disk_was_full_raises_no_doubt)
{
    struct recording *recording = healthy();
    recording->heap.peak_bytes = 11 * MIB;
    recording->anon_peak_bytes = 99 * MIB;
    recording->quality.unwritten_from_ns = 693000000;
    assert_int_equal(check(recording).count, 0);
}

TEST(less_is_enough_when_next_to_nothing_was_allocated)
{
    struct recording *recording = healthy();
    recording->heap = (struct totals){.calls = 1, .peak_bytes = 4096};
    recording->anon_peak_bytes = 3 * MIB;
    struct plausibility found = check(recording);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.doubts[0].kind, DOUBT_MEMORY);

    recording = healthy();
    recording->heap = (struct totals){.calls = 1, .peak_bytes = 4096};
    recording->anon_peak_bytes = 1 * MIB;
    assert_int_equal(check(recording).count, 0);
}

TEST(resident_memory_of_others_sources_is_no_evidence)
{
    struct recording *recording = healthy();
    recording->source = recording_intern(recording, "memoir attach");
    recording->heap.peak_bytes = 1 * MIB;
    assert_int_equal(check(recording).count, 0);
}

static struct recording *attached(void)
{
    struct recording *recording = healthy();
    recording->source = recording_intern(recording, "memoir attach");
    recording->before.attached = 1;
    return recording;
}

TEST(allocations_without_frees_are_doubted_unless_events_were_lost)
{
    struct recording *recording = attached();
    recording->heap.frees = 1999;
    struct plausibility found = check(recording);
    assert_int_equal(found.count, 1);
    assert_int_equal(found.doubts[0].kind, DOUBT_NO_FREES);

    recording = attached();
    recording->heap.frees = 2000;
    assert_int_equal(check(recording).count, 0);

    recording = attached();
    recording->heap.frees = 0;
    recording->quality.lost_events = 1;
    assert_int_equal(check(recording).count, 0);

    recording = attached();
    recording->heap = (struct totals){.calls = 999, .peak_bytes = 50 * MIB};
    assert_int_equal(check(recording).count, 0);

    recording = healthy(); /* from its first instruction on every free is seen: it leaks */
    recording->heap.frees = 0;
    assert_int_equal(check(recording).count, 0);
}

TEST(more_traits_than_there_can_be_are_kept_in_bounds)
{
    struct recording *recording = healthy();
    for (int i = 0; i < 2 * DOUBTS_MAX; i++)
        add_trait(recording, TRAIT_GO, true, false);
    assert_int_equal(check(recording).count, DOUBTS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_healthy_recording_raises_no_doubt),
        cmocka_unit_test(what_is_seen_raises_no_doubt),
        cmocka_unit_test(a_runtime_is_doubted_and_explains_missing_memory),
        cmocka_unit_test(an_allocator_inside_comes_first_and_explains_missing_frees),
        cmocka_unit_test(a_library_that_may_only_be_a_plugin_needs_evidence),
        cmocka_unit_test(nothing_at_all_is_doubted),
        cmocka_unit_test(a_heap_that_was_off_is_that_and_nothing_else),
        cmocka_unit_test(resident_memory_without_blocks_is_doubted),
        cmocka_unit_test(memory_that_came_after_the_disk_was_full_raises_no_doubt),
        cmocka_unit_test(less_is_enough_when_next_to_nothing_was_allocated),
        cmocka_unit_test(resident_memory_of_others_sources_is_no_evidence),
        cmocka_unit_test(allocations_without_frees_are_doubted_unless_events_were_lost),
        cmocka_unit_test(more_traits_than_there_can_be_are_kept_in_bounds),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
