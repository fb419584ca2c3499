/* SPDX-License-Identifier: Apache-2.0 */
#include "inject/threads/all_threads.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/clock.h"
#include "procfs/process/proc_open.h"

#define ALL_NS                                                                                     \
    2000000000ull /* threads that make others faster than we stop them are never all stopped */

static bool is_stopped(const struct all_threads *all, pid_t tid)
{
    for (size_t i = all->threads.count; i-- > 0;) { /* the newest are met first */
        if (all->threads.items[i].tid == tid)
            return true;
    }
    return false;
}

static int stop_one(struct all_threads *all, pid_t tid, uint64_t wait_ns)
{
    struct stopped_thread thread;
    if (!vec_reserve(&all->threads, 1))
        return -ENOMEM;
    int err = thread_stop(tid, wait_ns, &thread);
    if (err == 0)
        all->threads.items[all->threads.count++] = thread;
    return err == -ESRCH ? 0 : err; /* it ended by itself */
}

/* Stops those that the list has now.  How many were not stopped before, or -errno. */
static int stop_listed(struct all_threads *all, DIR *tasks, uint64_t wait_ns)
{
    int found = 0;
    for (struct dirent *entry; (entry = readdir(tasks));) {
        pid_t tid = (pid_t)strtol(entry->d_name, NULL, 10);
        if (tid <= 0 || is_stopped(all, tid))
            continue;
        int err = stop_one(all, tid, wait_ns);
        if (err < 0)
            return err;
        if (monotonic_ns() >= all->until_ns)
            return -EAGAIN;
        found++;
    }
    return found;
}

int all_threads_stop(struct all_threads *all, pid_t pid, uint64_t wait_ns)
{
    int found;
    *all = (struct all_threads){0};
    DIR *tasks = proc_open_folder((uint32_t)pid, PROC_TASKS);
    if (!tasks)
        return -errno;
    all->until_ns = monotonic_ns() + ALL_NS;
    /* Once a whole list holds none that runs, there is nobody left to make another. */
    while ((found = stop_listed(all, tasks, wait_ns)) > 0)
        rewinddir(tasks);
    closedir(tasks);
    return found;
}

uint64_t all_threads_release(struct all_threads *all)
{
    uint64_t longest = 0;
    vec_each (thread, &all->threads) {
        uint64_t stopped_ns = thread_release(thread);
        longest = stopped_ns > longest ? stopped_ns : longest;
    }
    if (all->stepping)
        thread_end_step(all->stepping);
    vec_free(&all->threads);
    return longest;
}
