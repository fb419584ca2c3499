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

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_told_as_far_as_they_can_be_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
