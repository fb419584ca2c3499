/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/helper_program.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_program(const char *folder, const char *name, char path[PATH_MAX])
{
    int const length = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return length > 0 && length < PATH_MAX && access(path, X_OK) == 0;
}

int helper_program_path(const char *name, char path[PATH_MAX])
{
    char self[PATH_MAX];
    ssize_t const length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length > 0) {
        self[length] = '\0';
        char *slash = strrchr(self, '/');
        if (slash) {
            *slash = '\0';
            if (is_program(self, name, path))
                return 0;
        }
    }
    return is_program(MEMOIR_LIBEXEC, name, path) ? 0 : -ENOENT;
}
