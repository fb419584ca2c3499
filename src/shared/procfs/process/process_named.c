/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/process_named.h"

#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procfs/process/proc_open.h"
#include "procfs/process/process_status.h"

#define ARGUMENTS_MAX 65536u

static const char *last_part(const char *path)
{
    const char *slash = strrchr(path, '/');
    return slash ? slash + 1 : path;
}

static bool executable_is(uint32_t pid, const char *name)
{
    char target[PATH_MAX];
    if (proc_read_link(pid, PROC_EXE, target, sizeof(target)) <= 0)
        return false;
    char *deleted = strstr(target, " (deleted)");
    if (deleted)
        *deleted = '\0';
    return strcmp(last_part(target), name) == 0;
}

static bool first_argument_is(uint32_t pid, const char *name)
{
    char *text;
    if (proc_read_text(pid, 0, PROC_CMDLINE, ARGUMENTS_MAX, &text) < 0)
        return false;
    text[strcspn(text, " ")] = '\0'; /* programs that write their title there */
    bool same = strcmp(last_part(text), name) == 0;
    free(text);
    return same;
}

bool process_is_named(uint32_t pid, const char *name)
{
    struct process_status status;
    if (process_status_read(pid, 0, &status) < 0 || !status.has_memory)
        return false;
    return strcmp(status.name, name) == 0 || executable_is(pid, name) ||
           first_argument_is(pid, name);
}
