/* SPDX-License-Identifier: Apache-2.0 */
/* walk_real_test.c - stacks of real programs at random instants, against elfutils, frame by
 * frame. */
#include "stacks/stack_walk.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "check.h"
#include "scratch.h"
#include "stopped.h"

#define STOPS 400u

struct tally {
    unsigned compared, same, complete;
    unsigned stops[STACK_STOP_KINDS];
};

static void show_difference(const struct stack_walk *walk, const uint64_t *theirs, unsigned count)
{
    fprintf(stderr, "stopped by %s; ours %u, theirs %u\n", stack_stop_name(walk->stop),
            walk->frame_count, count);
    for (unsigned i = 0; i < 30 && (i < walk->frame_count || i < count); i++)
        fprintf(stderr, "  %16lx %16lx\n", i < walk->frame_count ? walk->frames[i] : 0,
                i < count ? theirs[i] : 0);
}

static bool is_same(const struct stack_walk *walk, const uint64_t *theirs, unsigned count)
{
    return walk->frame_count == count && memcmp(walk->frames, theirs, count * 8) == 0;
}

static void compare_one(struct stopped *stopped, struct process_code *code, struct tally *tally)
{
    static struct stack_walk walk;
    uint64_t theirs[STACK_FRAMES_MAX];
    struct stack_copy const copy = stopped_copy(stopped);
    stack_walk(code, &copy, &walk);
    unsigned const count = stopped_by_elfutils(stopped, theirs, STACK_FRAMES_MAX);
    tally->compared++;
    tally->stops[walk.stop]++;
    tally->complete += walk.end == STACK_END_COMPLETE;
    bool const same = is_same(&walk, theirs, count);
    tally->same += same;
    if (!same || walk.end != STACK_END_COMPLETE)
        show_difference(&walk, theirs, count);
}

static struct tally compare(const char *program)
{
    struct stopped stopped;
    struct process_code *code;
    struct tally tally = {0};
    struct code_store *store = code_store_create((size_t)256 << 20);
    stopped_start(&stopped, (const char *const[]){program, NULL}, 100);
    CHECK(process_code_open(store, (uint32_t)stopped.pid, &code) == 0);
    for (unsigned i = 0; i < STOPS; i++) {
        usleep((unsigned)rand() % 700);
        if (stopped_hold(&stopped, (unsigned)rand() % stopped.thread_count, COPY_MAX))
            compare_one(&stopped, code, &tally);
        stopped_let_go(&stopped);
    }
    process_code_close(code);
    stopped_end(&stopped);
    CHECK(code_store_measure(store).files == 0);
    code_store_destroy(store);
    printf("%s: %u stacks, %u as elfutils, %u complete\n", strrchr(program, '/') + 1,
           tally.compared, tally.same, tally.complete);
    return tally;
}

static void expect_same(const char *option, const char *other_option)
{
    scratch_open();
    scratch_run("cc", "-O2", "-fomit-frame-pointer", option, other_option, "-pthread", "-o",
                "every_frame", PROGRAMS "/every_frame.c");
    struct tally const tally = compare(scratch_path("every_frame"));
    scratch_close();
    CHECK(tally.compared >= STOPS * 9 / 10);
    /* A thread that is being made is in a few instructions that have no tables, and elfutils
     * guesses. */
    CHECK(tally.same + 4 >= tally.compared);
    CHECK(tally.complete + 4 >= tally.compared);
}

TEST(every_kind_of_c_frame_is_walked_as_elfutils_does)
{
    expect_same("-g0", "-pie");
}

TEST(tables_without_a_header_are_as_good)
{
    expect_same("-Wl,--no-eh-frame-hdr", "-no-pie");
}

TEST(tables_for_debuggers_are_as_good)
{
    expect_same("-g", "-fno-asynchronous-unwind-tables");
}

TEST(exceptions_and_the_standard_library_too)
{
    if (!scratch_has("g++"))
        skip();
    scratch_open();
    scratch_run("g++", "-O2", "-std=c++17", "-o", "throws", PROGRAMS "/throws.cc");
    struct tally const tally = compare(scratch_path("throws"));
    scratch_close();
    assert_int_equal(tally.same, tally.compared);
    /* libgcc writes over its own frames just before it leaves them for the handler: nobody can
     * walk those. */
    CHECK(tally.complete >= tally.compared * 97 / 100);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kind_of_c_frame_is_walked_as_elfutils_does),
        cmocka_unit_test(tables_without_a_header_are_as_good),
        cmocka_unit_test(tables_for_debuggers_are_as_good),
        cmocka_unit_test(exceptions_and_the_standard_library_too),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
