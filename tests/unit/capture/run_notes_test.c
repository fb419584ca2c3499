/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/sessions/run_notes.h"

#include <stdio.h>
#include <unistd.h>

#include "wiped_arena.h"

/* What the person is told about the arena. */
static void read_notes(struct arena *arena, char *text, size_t size)
{
    FILE *file = tmpfile();
    int const before = dup(STDERR_FILENO);
    CHECK(file && before >= 0 && dup2(fileno(file), STDERR_FILENO) >= 0);
    note_unrecorded(arena, NULL);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(file);
    text[fread(text, 1, size - 1, file)] = '\0';
    fclose(file);
}

TEST(numbers_are_told_as_far_as_they_can_be_true)
{
    char text[2048];
    struct arena *arena = wiped_arena();
    atomic_store(&arena->header->unlisted_processes, 7);
    atomic_store(&arena->header->unlisted_modules, UINT32_MAX);
    read_notes(arena, text, sizeof(text));
    CHECK(strstr(text, "memoir: 7 processes were not recorded"));
    CHECK(strstr(text, "memoir: more than 1000000 libraries found no place"));
    CHECK(!strstr(text, "4294967295"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(numbers_are_told_as_far_as_they_can_be_true),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
