/* SPDX-License-Identifier: Apache-2.0 */
#include "golden.h"

#include <libgen.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "check.h"

#define GOLDEN_MAX (256 * 1024)

void golden_check(const char *test_file, const char *name, const char *text)
{
    char folder[1024], path[2048];
    snprintf(folder, sizeof(folder), "%s", test_file);
    snprintf(path, sizeof(path), "%s/golden/%s", dirname(folder), name);
    const char *update = getenv("MEMOIR_UPDATE_GOLDEN");
    FILE *file = fopen(path, update && *update ? "w" : "r");
    if (!file)
        fail_msg("cannot open %s: run the tests from the build folder, with meson test", path);
    if (update && *update) {
        CHECK(fputs(text, file) >= 0 && fclose(file) == 0);
        return;
    }
    char *wanted = calloc(1, GOLDEN_MAX);
    CHECK(fread(wanted, 1, GOLDEN_MAX - 1, file) > 0);
    fclose(file);
    assert_string_equal(text, wanted);
    free(wanted);
}
