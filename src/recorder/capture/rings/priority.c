/* SPDX-License-Identifier: Apache-2.0 */
#include "capture/rings/priority.h"

#include <dirent.h>
#include <errno.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/resource.h>

#include "keeper/keeper.h"
#include "procfs/process/proc_open.h"

#define STEPS_ABOVE 10
#define LOWEST_NICE (-20)
#define THREADS_MAX 256u /* looked at; the rest is assumed to be like them */

static void consider(struct priority *most, int tid)
{
    struct sched_param real_time;
    int const policy = sched_getscheduler(tid) & ~SCHED_RESET_ON_FORK;
    errno = 0;
    int const nice = getpriority(PRIO_PROCESS, (id_t)tid);
    if (errno == 0 && nice < most->nice)
        most->nice = nice;
    if ((policy != SCHED_FIFO && policy != SCHED_RR) || sched_getparam(tid, &real_time) < 0)
        return;
    most->policy = SCHED_RR;
    if (real_time.sched_priority > most->real_time)
        most->real_time = real_time.sched_priority;
}

struct priority priority_above(uint32_t pid)
{
    struct priority most = {.policy = SCHED_OTHER, .nice = 19};
    unsigned seen = 0;
    DIR *folder = proc_open_folder(pid, PROC_TASKS);
    for (struct dirent *entry; folder && seen < THREADS_MAX && (entry = readdir(folder));) {
        /* NOLINTNEXTLINE(cert-err34-c): the kernel's number */
        int const tid = atoi(entry->d_name);
        if (tid > 0)
            consider(&most, tid);
        seen += tid > 0;
    }
    if (folder)
        closedir(folder);
    if (seen == 0) /* it is over, or hidden */
        most.nice = getpriority(PRIO_PROCESS, 0);
    most.nice = most.nice - STEPS_ABOVE < LOWEST_NICE ? LOWEST_NICE : most.nice - STEPS_ABOVE;
    return most;
}

void priority_apply(const struct priority *priority)
{
    struct sched_param const real_time = {.sched_priority = priority->real_time};
    if (keeper_is_used()) { /* who may */
        (void)keeper_raise(priority->nice, priority->policy == SCHED_RR ? priority->real_time : 0);
        return;
    }
    int const now = getpriority(PRIO_PROCESS, 0);
    if (priority->policy == SCHED_RR)
        (void)sched_setscheduler(0, SCHED_RR | SCHED_RESET_ON_FORK, &real_time);
    for (int nice = priority->nice; nice < now; nice++)
        if (setpriority(PRIO_PROCESS, 0, nice) == 0)
            return;
}
