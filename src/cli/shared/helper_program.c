/* SPDX-License-Identifier: Apache-2.0 */
#include "cli/shared/helper_program.h"

#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

static bool is_there(const char *folder, const char *name, int mode, char path[PATH_MAX])
{
    int const length = snprintf(path, PATH_MAX, "%s/%s", folder, name);
    return length > 0 && length < PATH_MAX && access(path, mode) == 0;
}

/* In the folder of this program, else in `installed`. */
static int find(const char *name, const char *installed, int mode, char path[PATH_MAX])
{
    char self[PATH_MAX];
    ssize_t const length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    if (length > 0) {
        self[length] = '\0';
        char *slash = strrchr(self, '/');
        if (slash) {
            *slash = '\0';
            if (is_there(self, name, mode, path))
                return 0;
        }
    }
    return is_there(installed, name, mode, path) ? 0 : -ENOENT;
}

int helper_program_path(const char *name, char path[PATH_MAX])
{
    return find(name, MEMOIR_LIBEXEC, X_OK, path);
}

int library_path(char path[PATH_MAX])
{
    return find("libmemoir.so", MEMOIR_LIB, R_OK, path);
}
