/* SPDX-License-Identifier: Apache-2.0 */
#include "cpu/wide_account.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "procfs/proc_text.h"

/* All that was not idle, of all processors, in the kernel's ticks. */
static uint64_t of_machine(const char *text)
{
    uint64_t times[8] = {0};
    char *at = (char *)text + (strncmp(text, "cpu ", 4) == 0 ? 4 : strlen(text));
    for (unsigned i = 0; i < 8; i++) /* user nice system idle iowait irq softirq steal */
        times[i] = strtoull(at, &at, 10);
    uint64_t const ticks = times[0] + times[1] + times[2] + times[5] + times[6];
    return ticks * (1000000000u / (uint64_t)sysconf(_SC_CLK_TCK));
}

static uint64_t of_cgroup(const char *text)
{
    const char *usage = strstr(text, "usage_usec ");
    return usage ? strtoull(usage + strlen("usage_usec "), NULL, 10) * 1000 : 0;
}

uint64_t wide_account_ns(const char *cgroup)
{
    char path[4200] = "/proc/stat", *text;
    if (cgroup)
        snprintf(path, sizeof(path), "%s/cpu.stat", cgroup);
    if (proc_text_read(path, 512, &text) < 0)
        return 0;
    uint64_t const used = cgroup ? of_cgroup(text) : of_machine(text);
    free(text);
    return used;
}
