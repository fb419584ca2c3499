/* SPDX-License-Identifier: Apache-2.0 */
/* whole_test.c - programs whose books are known, recorded from the first call to the file, and read
 * again.  A test of the recorder's room and of the tracer's, whose library has its invariants
 * checked there. */
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/wait.h>

#include "check.h"
#include "random.h"
#include "recorded.h"

static void expect_equal(const struct tally *books, const struct tally *recorded)
{
    if (memcmp(books, recorded, sizeof(*books)) == 0)
        return;
    fail_msg("%s: calls %ld, bytes %ld, frees %ld, freed %ld, live %ld of %ld, peak %ld of %ld, "
             "temporary %ld in the books; in the recording %ld, %ld, %ld, %ld, %ld of %ld, %ld of "
             "%ld, %ld",
             books->name, books->calls, books->bytes, books->frees, books->freed, books->live_calls,
             books->live_bytes, books->peak_calls, books->peak_bytes, books->temporary,
             recorded->calls, recorded->bytes, recorded->frees, recorded->freed,
             recorded->live_calls, recorded->live_bytes, recorded->peak_calls, recorded->peak_bytes,
             recorded->temporary);
}

/* Every path of the books, and no other but "other", of which is what libc does for itself. */
static void compare(struct recording *recording)
{
    static struct tallies books, recorded;
    struct tally total = {.name = ""}, other = {.name = ""};
    unsigned at = 0;
    tallies_read(&books, recorded_path("books"));
    tallies_of(&recorded, recording);
    for (unsigned i = 0; i < recorded.count; i++) {
        if (strcmp(recorded.items[i].name, "other") == 0) {
            other = recorded.items[i];
            continue;
        }
        CHECK(at < books.count);
        expect_equal(&books.items[at++], &recorded.items[i]);
    }
    CHECK(at + 1 == books.count); /* the last is the total */
    total = books.items[at];
    assert_string_equal(total.name, "total");
    const struct totals *heap = &recording->heap;
    assert_int_equal(heap->calls, total.calls + other.calls);
    assert_int_equal(heap->bytes, total.bytes + other.bytes);
    assert_int_equal(heap->frees, total.frees + other.frees);
    CHECK(recording->quality.lost_events == 0);
}

#define OPTIONS_MAX 32

static void add_words(char **command, const char *text)
{
    static char words[512];
    unsigned count = 0;
    while (command[count])
        count++;
    snprintf(words, sizeof(words), "%s", text);
    for (char *word = strtok(words, " "); word && count < OPTIONS_MAX - 1; word = strtok(NULL, " "))
        command[count++] = word;
}

static void expect_books(const char *options, int status)
{
    static char seed[32];
    char *command[OPTIONS_MAX] = {"generator", "--books", (char *)recorded_path("books"), "--seed",
                                  seed};
    snprintf(seed, sizeof(seed), "%u", (unsigned)(random_seed() % 1000000 + 1));
    add_words(command, options);
    struct recorded recorded = recorded_run(&(struct recorded_wish){.command = command});
    CHECK(recorded.error == 0 && recorded.unfinished == 0 && recorded.recording);
    assert_int_equal(recorded.wait_status, status);
    assert_int_equal(recorded.recording->exit_status, status);
    CHECK(recorded.recordings == 1 && recorded.recording->end == END_OVER);
    compare(recorded.recording);
    recorded_close(&recorded);
}

TEST(one_thread_is_recorded_exactly)
{
    expect_books("--sharp --ops 3000 --paths 64 --coroutines --longjmp --deep --aligned", 0);
}

TEST(blocks_of_every_size_are_recorded_exactly_until_a_program_is_killed)
{
    expect_books("--sharp --ops 3000 --paths 8 --sizes wide --chains --queue --kill", SIGKILL);
}

TEST(several_threads_are_recorded_exactly)
{
    expect_books("--threads 3 --ops 3000 --paths 16 --fork --signals --dlopen --churn "
                 "--churn-threads 20 --children 3",
                 0);
}

TEST(a_program_that_runs_is_recorded_exactly_from_now_until_then)
{
    char *command[OPTIONS_MAX] = {"generator",
                                  "--books",
                                  (char *)recorded_path("books"),
                                  "--ready",
                                  (char *)recorded_path("ready"),
                                  "--go",
                                  (char *)recorded_path("go")};
    add_words(command, "--threads 2 --ops 4000 --paths 16 --longjmp --signals");
    struct recorded recorded = recorded_attach(&(struct recorded_wish){.command = command});
    CHECK(recorded.error == 0 && recorded.recordings == 1 && recorded.unfinished == 0);
    CHECK(recorded.wait_status == 0 && !recorded.is_stuck && recorded.recording);
    CHECK(recorded.recording->end == END_RUNS_ON && recorded.recording->before.attached);
    compare(recorded.recording);
    recorded_close(&recorded);
}

TEST(every_function_of_the_allocator_is_recorded_by_its_rules)
{
    static const struct {
        const char *name;
        int64_t bytes, calls, freed, frees;
    } expected[] = {
        {"start_here", 100, 1, 100, 1},    {"grow_here", 100000, 1, 100000, 1},
        {"shrink_here", 10, 1, 10, 1},     {"too_much_here", 0, 0, 0, 0},
        {"array_here", 200, 1, 200, 1},    {"array_overflow_here", 0, 0, 0, 0},
        {"overflow_here", 0, 0, 0, 0},     {"to_zero_here", 0, 0, 0, 0},
        {"from_null_here", 50, 1, 50, 1},  {"nothing_here", 0, 1, 0, 0},
        {"calloc_here", 21, 1, 21, 1},     {"aligned_here", 128, 1, 0, 0},
        {"memalign_here", 300, 1, 300, 1}, {"valloc_here", 11, 1, 0, 0},
        {"pvalloc_here", 13, 1, 13, 1},    {"posix_here", 17, 1, 0, 0},
    };
    char *command[] = {"realloc_rules", NULL};
    struct recorded recorded = recorded_run(&(struct recorded_wish){.command = command});
    CHECK(recorded.error == 0 && recorded.wait_status == 0 && recorded.recording);
    for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++) {
        struct tally const sum = tally_of_function(recorded.recording, expected[i].name);
        if (sum.bytes != expected[i].bytes || sum.calls != expected[i].calls ||
            sum.freed != expected[i].freed || sum.frees != expected[i].frees)
            fail_msg("%s: %ld bytes in %ld, %ld freed in %ld", expected[i].name, sum.bytes,
                     sum.calls, sum.freed, sum.frees);
    }
    CHECK(recorded.recording->heap.calls == 12 && recorded.recording->heap.bytes == 100850);
    recorded_close(&recorded);
}

/* At a byte a sample no block of this size is missed, in all the life of the universe. */
TEST(samples_of_every_block_are_all)
{
    char *command[] = {"leaks_100_blocks", NULL};
    struct recorded recorded =
        recorded_run(&(struct recorded_wish){.command = command, .heap_rate = 1});
    CHECK(recorded.error == 0 && recorded.wait_status == 0 && recorded.recording);
    const struct totals *heap = &recorded.recording->heap;
    CHECK(heap->calls == 600 && heap->bytes == 138500 && heap->frees == 500);
    CHECK(recorded.recording->quality.sample_rate == 1);
    struct tally const leak = tally_of_function(recorded.recording, "leak_here");
    CHECK(leak.calls == 100 && leak.bytes == 100000 && leak.live_calls == 100);
    CHECK(leak.live_bytes == 100000 && leak.frees == 0 && leak.temporary == 0);
    struct tally const freed = tally_of_function(recorded.recording, "free_here");
    CHECK(freed.calls == 500 && freed.frees == 500 && freed.live_bytes == 0);
    recorded_close(&recorded);
}

static struct recorded run(const char *name, const char *argument, bool follow_children)
{
    char *command[] = {(char *)name, (char *)argument, NULL};
    struct recorded const recorded = recorded_run(
        &(struct recorded_wish){.command = command, .follow_children = follow_children});
    CHECK(recorded.error == 0 && recorded.unfinished == 0 && recorded.recording);
    return recorded;
}

TEST(children_have_recordings_of_their_own_where_they_are_followed)
{
    for (unsigned follow = 0; follow < 2; follow++) {
        struct recorded recorded = run("fork_tree", NULL, follow);
        CHECK(recorded.wait_status == 0 && recorded.recordings == (follow ? 7 : 1));
        CHECK(recorded.recording->heap.calls == 15 && recorded.recording->heap.bytes == 12500);
        struct tally const before = tally_of_function(recorded.recording, "before_fork");
        CHECK(before.calls == 5 && before.live_calls == 5 && before.frees == 0);
        recorded_close(&recorded);
    }
    struct recorded recorded = run("vfork_exec", NULL, true);
    struct tally const around = tally_of_function(recorded.recording, "around_children");
    CHECK(recorded.wait_status == 0 && around.calls == 50 && around.bytes == 5000);
    recorded_close(&recorded);
}

TEST(a_program_that_becomes_another_is_recorded_to_its_end)
{
    struct recorded recorded = run("exec_chain", "3", false);
    CHECK(recorded.wait_status == 5 << 8 && recorded.recordings > 0);
    CHECK(tally_of_function(recorded.recording, "in_link").bytes == 1000);
    recorded_close(&recorded);
    recorded = run("exec_chain", "3", true);
    assert_int_equal(recorded.recordings, 3); /* the last does nothing */
    CHECK(recorded.wait_status == 5 << 8);
    recorded_close(&recorded);
}

TEST(memory_that_is_mapped_is_recorded)
{
    static const struct {
        const char *metric, *function;
        int64_t bytes;
    } expected[] = {
        {"maps.mapped", "map_here", 10 << 20},   {"maps.live", "map_here", 6 << 20},
        {"maps.live", "first_map_here", 0},      {"maps.live", "grow_map_here", 3 << 20},
        {"maps.mapped", "break_here", 64 << 10}, {"maps.live", "break_here", 48 << 10}};
    struct recorded recorded = run("maps", NULL, false);
    for (unsigned i = 0; i < sizeof(expected) / sizeof(expected[0]); i++)
        assert_int_equal(
            sum_of_function(recorded.recording, expected[i].metric, expected[i].function),
            expected[i].bytes);
    CHECK(recorded.wait_status == 0 && recorded.recording->heap.calls == 0);
    recorded_close(&recorded);
}

TEST(a_program_that_limits_its_address_space_is_recorded)
{
    struct recorded recorded = run("limits_itself", "200", false);
    CHECK(recorded.wait_status == 0 && recorded.recordings == 1);
    CHECK(recorded.recording->heap.calls > 0 && recorded.recording->quality.lost_events == 0);
    recorded_close(&recorded);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(one_thread_is_recorded_exactly, recorded_begin,
                                        recorded_end),
        cmocka_unit_test_setup_teardown(
            blocks_of_every_size_are_recorded_exactly_until_a_program_is_killed, recorded_begin,
            recorded_end),
        cmocka_unit_test_setup_teardown(several_threads_are_recorded_exactly, recorded_begin,
                                        recorded_end),
        cmocka_unit_test_setup_teardown(a_program_that_runs_is_recorded_exactly_from_now_until_then,
                                        recorded_begin, recorded_end),
        cmocka_unit_test_setup_teardown(every_function_of_the_allocator_is_recorded_by_its_rules,
                                        recorded_begin, recorded_end),
        cmocka_unit_test_setup_teardown(samples_of_every_block_are_all, recorded_begin,
                                        recorded_end),
        cmocka_unit_test_setup_teardown(
            children_have_recordings_of_their_own_where_they_are_followed, recorded_begin,
            recorded_end),
        cmocka_unit_test_setup_teardown(a_program_that_becomes_another_is_recorded_to_its_end,
                                        recorded_begin, recorded_end),
        cmocka_unit_test_setup_teardown(memory_that_is_mapped_is_recorded, recorded_begin,
                                        recorded_end),
        cmocka_unit_test_setup_teardown(a_program_that_limits_its_address_space_is_recorded,
                                        recorded_begin, recorded_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
