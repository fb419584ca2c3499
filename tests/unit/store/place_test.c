/* SPDX-License-Identifier: Apache-2.0 */
/* place_test.c - what a new recording may take the place of, and what is only tidied away. */
#include "store/write/place.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "check.h"
#include "store/chunks/chunk.h"

static char folder[] = "/tmp/memoir-place-XXXXXX";

static int set_up(void **state)
{
    (void)state;
    strcpy(folder + strlen(folder) - 6, "XXXXXX");
    return mkdtemp(folder) && chdir(folder) == 0 ? 0 : -1;
}

static int tear_down(void **state)
{
    char command[64];
    (void)state;
    snprintf(command, sizeof(command), "rm -rf %s", folder);
    return chdir("/") < 0 || system(command) != 0;
}

static void put(const char *name, const void *bytes, size_t size)
{
    FILE *file = fopen(name, "w");
    CHECK(file && fwrite(bytes, 1, size, file) == size && fclose(file) == 0);
}

static void put_recording(const char *name)
{
    uint8_t header[FILE_HEADER_BYTES];
    file_header_put(header);
    put(name, header, sizeof(header));
}

static bool is_there(const char *name)
{
    return access(name, F_OK) == 0;
}

TEST(nothing_of_the_users_is_taken)
{
    struct fault fault = {.text = ""};
    put("notes", "my notes", 8);
    put("empty", "", 0);
    put_recording("old.memoir");
    CHECK(mkdir("sub", 0700) == 0);
    CHECK(place_check("new", &fault) == 0 && place_check("empty", &fault) == 0);
    CHECK(place_check("old.memoir", &fault) == 0);
    CHECK(place_check("notes", &fault) == -EEXIST && strstr(fault.text, "notes exists"));
    CHECK(place_check("sub", &fault) == -EINVAL && strstr(fault.text, "is a folder"));
    CHECK(place_clear("sub", &fault) == -EINVAL && is_there("sub"));
    CHECK(place_clear("old.memoir", &fault) == 0 && is_there("old.memoir"));
    CHECK(place_clear("notes", &fault) == 0 && !is_there("notes"));
}

static void check_tidy(const char *path, const char *prefix)
{
    static const char *const kept[] = {"r.memoir",
                                       "r.memoir.0123456789abcde.tmp",
                                       "r.memoir.0123456789abcdef0.tmp",
                                       "r.memoir.0123456789abcdeg.tmp",
                                       "r.memoir.0123456789abcdef.tmp2",
                                       "r.memoir.0123456789abcdef",
                                       "q.memoir.0123456789abcdef.tmp",
                                       "xr.memoir.0123456789abcdef.tmp",
                                       "r.memoir-0123456789abcdef.tmp"};
    char name[128];
    for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        snprintf(name, sizeof(name), "%s%s", prefix, kept[i]);
        put_recording(name);
    }
    snprintf(name, sizeof(name), "%sr.memoir.00112233445566ff.tmp", prefix);
    put(name, "my notes", 8); /* named so, and no recording */
    snprintf(name, sizeof(name), "%sr.memoir.0123456789abcdef.tmp", prefix);
    put_recording(name);
    place_tidy(path);
    CHECK(!is_there(name));
    snprintf(name, sizeof(name), "%sr.memoir.00112233445566ff.tmp", prefix);
    CHECK(is_there(name));
    for (unsigned i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        snprintf(name, sizeof(name), "%s%s", prefix, kept[i]);
        CHECK(is_there(name));
    }
}

TEST(only_copies_of_the_recording_are_tidied_away)
{
    check_tidy("r.memoir", "");
    CHECK(mkdir("sub", 0700) == 0);
    check_tidy("sub/r.memoir", "sub/");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(nothing_of_the_users_is_taken, set_up, tear_down),
        cmocka_unit_test_setup_teardown(only_copies_of_the_recording_are_tidied_away, set_up,
                                        tear_down),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
