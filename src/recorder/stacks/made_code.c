/* SPDX-License-Identifier: Apache-2.0 */
/* made_code.c - finds the list of names of code that a runtime made. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "procfs/process/process_status.h"
#include "stacks/process_code_parts.h"
#include "symbols/lookup/perf_map.h"

#define LOOK_AGAIN_NS NS_PER_SECOND

const char *process_code_made_list(struct process_code *code)
{
    struct process_status status;
    char path[sizeof(code->made_list)];
    if (code->is_listed || code->made_list[0] || monotonic_ns() < code->next_list_ns)
        return code->made_list;
    code->next_list_ns = monotonic_ns() + LOOK_AGAIN_NS;
    if (process_status_read(code->pid, 0, &status) < 0)
        return "";
    snprintf(path, sizeof(path), "/proc/%u/root/tmp/perf-%u.map", code->pid, status.inner_pid);
    if (perf_map_exists(path, status.user))
        memcpy(code->made_list, path, sizeof(path));
    return code->made_list;
}

void process_code_tell_made_list(struct process_code *code, const char *path)
{
    if (strlen(path) < sizeof(code->made_list))
        snprintf(code->made_list, sizeof(code->made_list), "%s", path);
}
