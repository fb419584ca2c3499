/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/process_status.h"

#include <dirent.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "procfs/process/proc_open.h"
#include "procfs/process/process_facts.h"

#define STATUS_MAX   65536u
#define FLAG_KTHREAD 0x00200000u

/* What follows "KEY:" at the start of a line, without blanks before it; NULL when there is none. */
static const char *value_of(const char *text, const char *key)
{
    size_t size = strlen(key);
    for (const char *line = text; line; line = strchr(line, '\n')) {
        line += *line == '\n';
        if (strncmp(line, key, size) == 0 && line[size] == ':')
            return line + size + 1 + strspn(line + size + 1, " \t");
    }
    return NULL;
}

static uint64_t number_of(const char *text, const char *key, int base)
{
    const char *value = value_of(text, key);
    return value ? strtoull(value, NULL, base) : 0;
}

/* "NSpid: 4242 17 1": as each namespace from ours inward calls it. */
static void parse_namespaces(const char *text, struct process_status *status)
{
    const char *at = value_of(text, "NSpid");
    while (at && *at >= '0' && *at <= '9') {
        char *end;
        status->inner_pid = (uint32_t)strtoul(at, &end, 10);
        status->namespaces++;
        at = end + strspn(end, " \t");
    }
}

void process_status_parse(const char *text, struct process_status *status)
{
    memset(status, 0, sizeof(*status));
    const char *name = value_of(text, "Name"), *state = value_of(text, "State");
    if (name)
        snprintf(status->name, sizeof(status->name), "%.*s", (int)strcspn(name, "\n"), name);
    status->state = state ? state[0] : '\0';
    status->group = (uint32_t)number_of(text, "Tgid", 10);
    status->parent = (uint32_t)number_of(text, "PPid", 10);
    status->tracer = (uint32_t)number_of(text, "TracerPid", 10);
    status->user = (uint32_t)number_of(text, "Uid", 10);
    status->threads = (uint32_t)number_of(text, "Threads", 10);
    status->seccomp = (int)number_of(text, "Seccomp", 10);
    status->has_memory = value_of(text, "VmSize") != NULL;
    status->pending = number_of(text, "SigPnd", 16) | number_of(text, "ShdPnd", 16);
    status->ignored = number_of(text, "SigIgn", 16);
    const char *features = value_of(text, "x86_Thread_features");
    status->shadow_stack = features && strncmp(features, "shstk", 5) == 0;
    parse_namespaces(text, status);
}

int process_status_read(uint32_t pid, uint32_t thread, struct process_status *status)
{
    char *text;
    int err = proc_read_text(pid, thread, PROC_STATUS, STATUS_MAX, &text);
    if (err < 0)
        return err;
    process_status_parse(text, status);
    process_name_mend_of(pid, status->name, sizeof(status->name));
    free(text);
    return 0;
}

uint32_t process_find_thread(uint32_t pid, uint32_t inner_tid)
{
    uint32_t found = 0;
    DIR *folder = proc_open_folder(pid, PROC_TASKS);
    for (struct dirent *entry; folder && !found && (entry = readdir(folder));) {
        struct process_status status;
        uint32_t tid = (uint32_t)strtoul(entry->d_name, NULL, 10);
        if (tid && process_status_read(pid, tid, &status) == 0 && status.inner_pid == inner_tid)
            found = tid;
    }
    if (folder)
        closedir(folder);
    return found;
}

bool process_is_kernel(uint32_t pid)
{
    char *text;
    unsigned flags = 0;
    if (proc_read_text(pid, 0, PROC_STAT, STATUS_MAX, &text) < 0)
        return false;
    const char *after_name = strrchr(text, ')');
    /* state, parent, group, session, terminal and its group come first */
    for (int i = 0; i < 7 && after_name; i++)
        after_name = strchr(after_name + 1, ' ');
    if (after_name)
        flags = (unsigned)strtoul(after_name, NULL, 10);
    free(text);
    return flags & FLAG_KTHREAD;
}
