/* SPDX-License-Identifier: Apache-2.0 */
#include "procfs/process/process_age.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "base/clock.h"
#include "procfs/process/proc_open.h"

#define STAT_MAX        4096
#define FIELDS_TO_START 20 /* from the state, the first after the name, to the start time */

int process_age_parse(const char *stat, uint64_t *ticks)
{
    const char *at = strrchr(stat, ')'); /* the name may have anything in it */
    char *end;
    for (int i = 0; at && i < FIELDS_TO_START; i++)
        at = strchr(at + 1, ' ');
    if (!at || at[1] < '0' || at[1] > '9')
        return -EINVAL;
    *ticks = strtoull(at + 1, &end, 10);
    return 0;
}

/* When the machine began to count, as unix time.  The clock of the ticks goes on in suspend. */
static uint64_t boot_ns(void)
{
    struct timespec now, up;
    clock_gettime(CLOCK_REALTIME, &now);
    clock_gettime(CLOCK_BOOTTIME, &up);
    return (uint64_t)(now.tv_sec - up.tv_sec) * NS_PER_SECOND + (uint64_t)now.tv_nsec -
           (uint64_t)up.tv_nsec;
}

int process_age_read(uint32_t pid, uint64_t *ticks, uint64_t *unix_ns)
{
    char *text;
    int err = proc_read_text(pid, 0, PROC_STAT, STAT_MAX, &text);
    if (err < 0)
        return err;
    err = process_age_parse(text, ticks);
    free(text);
    if (!err)
        *unix_ns = boot_ns() + *ticks * (NS_PER_SECOND / (uint64_t)sysconf(_SC_CLK_TCK));
    return err;
}
