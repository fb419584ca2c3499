/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/output_name.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "store/place.h"

#define SAME_NAME_MAX 10000u

void output_name(char path[PATH_MAX], const char *output, const char *folder, const char *program,
                 uint32_t pid)
{
    const char *slash = strrchr(program, '/');
    const char *name = slash ? slash + 1 : program;
    char number[16] = "";
    if (output) {
        snprintf(path, PATH_MAX, "%s", output);
        return;
    }
    for (unsigned same = 2; same < SAME_NAME_MAX; same++) {
        char whose[16] = "";
        if (pid)
            snprintf(whose, sizeof(whose), ".%u", pid);
        snprintf(path, PATH_MAX, "%s%s%.200s%s%s.memoir", folder, *folder ? "/" : "",
                 *name ? name : "program", whose, number);
        if (access(path, F_OK) < 0)
            return;
        snprintf(number, sizeof(number), "-%u", same);
    }
}

int output_check(const struct recording_wish *wish, struct fault *fault)
{
    if (!wish->output)
        return 0;
    return wish->force ? place_clear(wish->output, fault) : place_check(wish->output, fault);
}
