/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/wide_account.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "procfs/cgroup/cgroup_folder.h"
#include "procfs/process/proc_text.h"

/* All that was not idle, of all processors, in the kernel's ticks. */
static uint64_t of_machine(const char *text)
{
    uint64_t times[8] = {0};
    char *at = (char *)text + (strncmp(text, "cpu ", 4) == 0 ? 4 : strlen(text));
    for (unsigned i = 0; i < 8; i++) /* user nice system idle iowait irq softirq steal */
        times[i] = strtoull(at, &at, 10);
    uint64_t const ticks = times[0] + times[1] + times[2] + times[5] + times[6];
    return ticks * (NS_PER_SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
}

static uint64_t number_in(const char *folder, const char *file, const char *before)
{
    char path[CGROUP_FOLDER_MAX + 32], *text;
    snprintf(path, sizeof(path), "%s/%s", folder, file);
    if (proc_text_read(path, 4096, &text) < 0)
        return 0;
    const char *at = strstr(text, before);
    uint64_t const number = at ? strtoull(at + strlen(before), NULL, 10) : 0;
    free(text);
    return number;
}

/* Version 2 counts microseconds, version 1 nanoseconds, in a tree that may be another. */
static uint64_t of_cgroup(const char *cgroup)
{
    char beside[CGROUP_FOLDER_MAX];
    uint64_t used = number_in(cgroup, "cpu.stat", "usage_usec ") * 1000;
    if (!used)
        used = number_in(cgroup, "cpuacct.usage", "");
    if (!used && cgroup_folder_beside(NULL, cgroup, "cpuacct", beside) == 0)
        used = number_in(beside, "cpuacct.usage", "");
    return used;
}

uint64_t wide_account_ns(const char *cgroup)
{
    char *text;
    if (cgroup)
        return of_cgroup(cgroup);
    if (proc_text_read("/proc/stat", 512, &text) < 0)
        return 0;
    uint64_t const used = of_machine(text);
    free(text);
    return used;
}
