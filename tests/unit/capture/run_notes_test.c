/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/outputs/run_notes.h"

#include <stdio.h>
#include <string.h>

#include "program_side.h"
#include "wiped_arena.h"

static char told[2048];

static void note(const char *sentence)
{
    size_t const size = strlen(told);
    snprintf(told + size, sizeof(told) - size, "%s\n", sentence);
}

TEST(numbers_are_told_as_far_as_they_can_be_true)
{
    struct arena *arena = wiped_arena();
    atomic_store(&program_side(arena)->unlisted_processes, 7);
    atomic_store(&program_side(arena)->unlisted_modules, UINT32_MAX);
    note_unrecorded(arena, NULL, note);
    CHECK(strstr(told, "7 processes were not recorded"));
    CHECK(strstr(told, "more than 1000000 libraries were beyond the limit"));
    CHECK(!strstr(told, "4294967295"));
}

TEST(what_it_became_is_named)
{
    struct arena *arena = wiped_arena();
    bool const follows = arena->follows_children;
    told[0] = '\0';
    atomic_store(&program_side(arena)->left_behind, 1);
    snprintf(program_side(arena)->left_program, 64, "lua");
    note_unrecorded(arena, NULL, note);
    CHECK(strstr(told, "1 program was not recorded, lua: it could not reach"));
    arena->follows_children = false;
    note_unrecorded(arena, NULL, note);
    CHECK(strstr(told, "the program became lua by exec and was not recorded from then on"));
    arena->follows_children = follows;
    memset(program_side(arena)->left_program, 'x', 64); /* without an end */
    atomic_store(&program_side(arena)->left_behind, 2);
    note_unrecorded(arena, NULL, note);
    CHECK(strstr(told, "2 programs were not recorded, the first of them xxx"));
    memset(program_side(arena)->left_program, 0, 64);
    atomic_store(&program_side(arena)->left_behind, 0);
}

TEST(children_are_counted_where_they_are_not_recorded)
{
    struct arena *arena = wiped_arena();
    bool const follows = arena->follows_children;
    arena->follows_children = false;
    told[0] = '\0';
    note_children(arena, NULL, note);
    CHECK(!strstr(told, "child"));
    atomic_store(&program_side(arena)->children_let_go, 1);
    note_children(arena, NULL, note);
    CHECK(strstr(told, "1 child process was started and is not recorded: --children records it"));
    atomic_store(&program_side(arena)->children_let_go, 5);
    note_children(arena, NULL, note);
    CHECK(strstr(told, "5 child processes were started and are not recorded: --children"));
    arena->follows_children = true; /* a number that the program wrote there */
    told[0] = '\0';
    note_children(arena, NULL, note);
    CHECK(!strstr(told, "child"));
    arena->follows_children = follows;
    atomic_store(&program_side(arena)->children_let_go, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_told_as_far_as_they_can_be_true),
        cmocka_unit_test(what_it_became_is_named),
        cmocka_unit_test(children_are_counted_where_they_are_not_recorded),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
